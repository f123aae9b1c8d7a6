import { instantOfWall, wallOf } from './zoned-time.ts'

const DAY_MS = 86_400_000

/** `17:30` as milliseconds of a day. */
const timeOfDay = (time: string): number => Date.parse(`1970-01-01T${time}:00Z`)

/** The first firing after an instant for a schedule of every N calendar days. */
export const nextOfDays = (
  { everyDays, fromDay, time }: { everyDays: number; fromDay: string; time: string },
  afterMs: number,
  zone: string,
): number => {
  const firstWallMs = Date.parse(`${fromDay}T00:00:00Z`) + timeOfDay(time)
  const stepMs = everyDays * DAY_MS
  // Start one step earlier, because a clock change may have shifted the firing.
  const passed = Math.floor((wallOf(afterMs, zone) - firstWallMs) / stepMs) - 1
  for (let count = Math.max(0, passed); ; count++) {
    const instantMs = instantOfWall(firstWallMs + count * stepMs, zone)
    if (instantMs > afterMs) return instantMs
  }
}

/** The first firing after an instant for a schedule on the last day of each month. */
export const nextOfMonthEnd = (time: string, afterMs: number, zone: string): number => {
  const wall = new Date(wallOf(afterMs, zone))
  for (let months = 1; ; months++) {
    // Day 0 of a month is the last day of the previous month.
    const dayMs = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + months, 0)
    const instantMs = instantOfWall(dayMs + timeOfDay(time), zone)
    if (instantMs > afterMs) return instantMs
  }
}
