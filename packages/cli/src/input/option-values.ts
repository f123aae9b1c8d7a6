import { InvalidArgumentError } from 'commander'

/** For options that may be repeated. */
export const collectOption = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  value,
]

/** Parses a count: an integer from 1. */
export const parseCount = (text: string): number => {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) {
    throw new InvalidArgumentError('It must be a whole number of at least 1.')
  }
  return count
}

const HIGHEST_PORT = 65_535

/** Parses a port; 0 means any free one. */
export const parsePort = (text: string): number => {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= HIGHEST_PORT) return port
  throw new InvalidArgumentError(`It must be a whole number from 0 to ${HIGHEST_PORT}.`)
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

const isUnit = (unit: string | undefined): unit is keyof typeof UNITS =>
  unit !== undefined && Object.hasOwn(UNITS, unit)

/** Parses `30d` to milliseconds: minutes, hours, days or weeks. */
export const parseAge = (text: string): number => {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  if (isUnit(unit) && Number(count) > 0) return Number(count) * UNITS[unit]
  throw new InvalidArgumentError('It must be a number with m, h, d or w, such as 30d.')
}
