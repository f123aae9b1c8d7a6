const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Parses `90s`, `5m`, `2h`, `1d` or combinations (`1h30m`) to milliseconds; undefined if invalid.
 */
export const parseDuration = (text: string): number | undefined => {
  if (!/^(\d+[smhd])+$/.test(text)) return undefined
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS_MS[unit ?? ''] ?? 0),
    0,
  )
}
