/** Webhooks as their senders publish them: a secret, a body, and the header fields that prove it. */

/** A message that passes. */
export interface WebhookCase {
  readonly what: string
  /** The sender, as a realm declares it. */
  readonly sender: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** When it comes; seconds since the epoch. */
  readonly now: number
  /** What expressions read of it. */
  readonly id?: string
  readonly timestamp?: number
}

export const webhookCases: readonly WebhookCase[] = [
  {
    // the test values of "Validating webhook deliveries" of GitHub's documentation
    what: "the example of GitHub's documentation",
    sender: { scheme: 'github', secret: "It's a Secret to Everybody" },
    headers: {
      'x-hub-signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    },
    body: 'Hello, World!',
    now: 1_700_000_000,
    id: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  },
  {
    // the header of Stripe's documentation, with its v0; made by the documented steps with openssl, since the secret is not published
    what: "the header of Stripe's documentation",
    sender: { scheme: 'stripe', secret: 'whsec_test_secret' },
    headers: {
      'stripe-signature':
        't=1492774577,v1=c2f890decbc5ede7c5060bb9a6d31e0626a4342bacb9aeae2adb1bcea72f9812,v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39',
    },
    body: '{\n  "id": "evt_test_webhook",\n  "object": "event"\n}',
    now: 1_492_774_577,
    id: 'evt_test_webhook',
    timestamp: 1_492_774_577,
  },
  {
    // the test vector of the specification and of its libraries
    what: 'the vector of Standard Webhooks',
    sender: { scheme: 'standard', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    now: 1_614_265_330,
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
  },
  {
    what: 'the same under the names of Svix',
    sender: { scheme: 'standard', secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    headers: {
      'svix-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'svix-timestamp': '1614265330',
      'svix-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    now: 1_614_265_330,
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
  },
  {
    what: 'an HMAC in a header of its own',
    sender: { scheme: 'hmac', header: 'X-Signature', id_header: 'X-Id', secret: 'key' },
    headers: {
      'x-signature': 'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
      'x-id': 'fox-1',
    },
    body: 'The quick brown fox jumps over the lazy dog',
    now: 0,
    id: 'fox-1',
  },
]
