/** An amount of something on a day. */
export interface DayAmount {
  /** As in ISO 8601. */
  day: string
  name: string
  amount: number
}

/** One name's share of a day; `from` and `height` are fractions of the axis. */
interface BarPart {
  series: number
  name: string
  amount: number
  from: number
  height: number
}
interface BarDay {
  day: string
  total: number
  parts: BarPart[]
}
export interface BarChart {
  days: BarDay[]
  /** Names in the order of their colours. */
  series: string[]
  ticks: number[]
  top: number
  total: number
}

const DAY_MS = 86_400_000
/** The number of distinguishable colours. */
const MOST_SERIES = 6

/** The days up to the given one, as in ISO 8601. */
export const listDays = (last: string, count: number): string[] => {
  const end = Date.parse(`${last}T00:00:00Z`)
  return Array.from({ length: count }, (_, n) =>
    new Date(end - (count - 1 - n) * DAY_MS).toISOString().slice(0, 10),
  )
}

/** Days as stacked bars; names beyond the colours form one series. */
export const stackDays = (
  rows: readonly DayAmount[],
  days: readonly string[],
  others: string,
): BarChart => {
  const series = rankSeries(rows, others)
  const indexes = new Map(series.map((name, index) => [name, index]))
  const places = new Map(days.map((day, index) => [day, index]))
  const sums = days.map(() => series.map(() => 0))
  for (const { day, name, amount } of rows) {
    const sum = sums[places.get(day) ?? -1]
    const index = indexes.get(name) ?? series.length - 1
    if (sum !== undefined && index >= 0) sum[index] = (sum[index] ?? 0) + amount
  }
  const totals = sums.map((amounts) => amounts.reduce((sum, amount) => sum + amount, 0))
  const ticks = chooseTicks(Math.max(0, ...totals))
  const top = ticks.at(-1) ?? 1
  return {
    days: days.map((day, n) => ({
      day,
      total: totals[n] ?? 0,
      parts: stack(sums[n] ?? [], series, top),
    })),
    series,
    ticks,
    top,
    total: totals.reduce((sum, amount) => sum + amount, 0),
  }
}

const stack = (amounts: readonly number[], series: readonly string[], top: number): BarPart[] => {
  let from = 0
  return amounts.flatMap((amount, index) => {
    if (amount === 0) return []
    const part = { series: index, name: series[index] ?? '', amount, from, height: amount / top }
    from += part.height
    return [part]
  })
}

/** Most expensive first; those without their own colour form one series at the end. */
const rankSeries = (rows: readonly DayAmount[], others: string): string[] => {
  const totals = new Map<string, number>()
  for (const { name, amount } of rows) totals.set(name, (totals.get(name) ?? 0) + amount)
  const ranked = [...totals]
    .filter(([, total]) => total > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([name]) => name)
  return ranked.length <= MOST_SERIES ? ranked : [...ranked.slice(0, MOST_SERIES - 1), others]
}

/** Three or four round steps from 0 to at least `most`. */
export const chooseTicks = (most: number): number[] => {
  if (most <= 0) return [0, 1]
  const rough = most / 3
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = size * ([1, 2, 2.5, 5, 10].find((factor) => factor * size >= rough) ?? 10)
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, n) => n * step)
}
