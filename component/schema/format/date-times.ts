/** Dates with times, times and durations as RFC 3339 writes them. */
import { ofLibrary } from './library-formats.ts'

const isDate = ofLibrary('date')

/** Hours, minutes and seconds; then the hours and minutes of the offset with its sign. */
const time =
  /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d+)?(?:z|([+-](?:[01]\d|2[0-3])):([0-5]\d))$/i

const minutesOfDay = 24 * 60

/** `full-time` (§5.6); a leap second is the last one of a day in UTC. */
export function isTime(text: string): boolean {
  const [, hours, minutes, seconds, offsetHours = '+00', offsetMinutes = '0'] =
    time.exec(text) ?? []
  if (seconds !== '60') return seconds !== undefined
  const sign = offsetHours.startsWith('-') ? -1 : 1
  const offset = Number(offsetHours) * 60 + sign * Number(offsetMinutes)
  const inUtc = Number(hours) * 60 + Number(minutes) - offset
  return (inUtc + minutesOfDay) % minutesOfDay === minutesOfDay - 1
}

/** `date-time` (§5.6), with a T. */
export const isDateTime = (text: string): boolean =>
  /^.{10}t/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))

const second = String.raw`\d+S`
const minute = String.raw`\d+M(?:${second})?`
const hour = String.raw`\d+H(?:${minute})?`
const ofTime = `T(?:${hour}|${minute}|${second})`
const day = String.raw`\d+D`
const month = String.raw`\d+M(?:${day})?`
const year = String.raw`\d+Y(?:${month})?`
const duration = new RegExp(
  String.raw`^P(?:(?:${year}|${month}|${day})(?:${ofTime})?|${ofTime}|\d+W)$`,
)

/** `duration` (appendix A): no unit between two others is missing. */
export const isDuration = (text: string): boolean => duration.test(text)
