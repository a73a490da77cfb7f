-- What wrk sends and what it expects: a table in the file that is named after `--`.
local plan

function setup(thread)
  main = thread
end

function init(args)
  plan = dofile(args[1])
  wrong = 0
  opening = plan.opening
  local requests = {}
  for at, ask in ipairs(plan.asks) do
    requests[at] = wrk.format(ask.method, ask.path, ask.headers, ask.body)
  end
  -- values of the header that is new in each request, in this run and in all others
  local count = 0
  local run = string.format('%x%x', os.time(), string.byte(io.open('/dev/urandom'):read(1)))
  local at = 0
  function request()
    at = at % #requests + 1
    if not plan.asks[at].fresh then
      return requests[at]
    end
    count = count + 1
    return (requests[at]:gsub('FRESH', run .. 'x' .. count, 1))
  end
  local opened = 0
  function delay()
    if opened < plan.connections then
      opened = opened + 1
      return plan.opening
    end
    -- exponential, so that requests come as if from many clients that know nothing of each other
    return plan.pause and math.floor(-plan.pause * math.log(1 - math.random()) + 0.5) or 0
  end
end

function response(status, _, body)
  local bodies = plan.expected[status]
  if not bodies or not bodies[body] then
    wrong = wrong + 1
  end
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"seconds":%.6f,"answers":%d,"p50":%.3f,"p99":%.3f,"max":%.3f,"errors":%d}',
    summary.duration / 1e6 - main:get('opening') / 1000,
    summary.requests,
    latency:percentile(50) / 1000,
    latency:percentile(99) / 1000,
    latency.max / 1000,
    errors.connect + errors.read + errors.write + errors.timeout + main:get('wrong')
  ))
end
