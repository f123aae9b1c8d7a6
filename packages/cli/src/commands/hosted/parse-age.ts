import { InvalidArgumentError } from 'commander'

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

const isUnit = (unit: string | undefined): unit is keyof typeof UNITS =>
  unit !== undefined && Object.hasOwn(UNITS, unit)

/** `30d` in milliseconds: minutes, hours, days or weeks. */
export const parseAge = (text: string): number => {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  if (isUnit(unit) && Number(count) > 0) return Number(count) * UNITS[unit]
  throw new InvalidArgumentError('It must be a number with m, h, d or w, such as 30d.')
}
