import type { DailySpend } from '@steward/contract'

export type CostUnit = 'cost' | 'tokens'

/** One flow's share of a day; `from` and `height` are fractions of the axis. */
interface CostPart {
  series: number
  name: string
  amount: number
  from: number
  height: number
}
interface CostDay {
  day: string
  total: number
  parts: CostPart[]
}
export interface CostChart {
  days: CostDay[]
  /** Names in the order of their colours. */
  series: string[]
  ticks: number[]
  top: number
  total: number
  /** Calls without a known price: counted in tokens, not in dollars. */
  unpriced: number
}

const DAY_MS = 86_400_000
const OUTSIDE = 'outside flows'
const OTHERS = 'other flows'
/** The number of distinguishable colours. */
const MOST_SERIES = 6

const nameOf = ({ flow }: DailySpend): string => flow ?? OUTSIDE
const amountOf = (row: DailySpend, unit: CostUnit): number =>
  unit === 'cost' ? (row.cost ?? 0) : row.inputTokens + row.outputTokens

/** The last days as stacked bars, today last. Days are in UTC, like budgets. */
export const chartCost = (
  rows: readonly DailySpend[],
  unit: CostUnit,
  nowMs: number,
  dayCount = 7,
): CostChart => {
  const series = rankSeries(rows, unit)
  const seriesOf = (row: DailySpend): number => {
    const at = series.indexOf(nameOf(row))
    return at === -1 ? series.length - 1 : at
  }
  const today = Math.floor(nowMs / DAY_MS)
  const days = Array.from({ length: dayCount }, (_, n) =>
    new Date((today - dayCount + 1 + n) * DAY_MS).toISOString().slice(0, 10),
  )
  const sums = days.map((day) => {
    const amounts = series.map(() => 0)
    for (const row of rows) {
      if (row.day === day)
        amounts[seriesOf(row)] = (amounts[seriesOf(row)] ?? 0) + amountOf(row, unit)
    }
    return amounts
  })
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
    unpriced: rows.reduce((sum, { cost, calls }) => sum + (cost === null ? calls : 0), 0),
  }
}

const stack = (amounts: readonly number[], series: readonly string[], top: number): CostPart[] => {
  let from = 0
  return amounts.flatMap((amount, index) => {
    if (amount === 0) return []
    const part = {
      series: index,
      name: series[index] ?? OTHERS,
      amount,
      from,
      height: amount / top,
    }
    from += part.height
    return [part]
  })
}

/** Most expensive first; those without their own colour form one series at the end. */
const rankSeries = (rows: readonly DailySpend[], unit: CostUnit): string[] => {
  const totals = new Map<string, number>()
  for (const row of rows) {
    totals.set(nameOf(row), (totals.get(nameOf(row)) ?? 0) + amountOf(row, unit))
  }
  const ranked = [...totals]
    .filter(([, total]) => total > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([name]) => name)
  return ranked.length <= MOST_SERIES ? ranked : [...ranked.slice(0, MOST_SERIES - 1), OTHERS]
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
