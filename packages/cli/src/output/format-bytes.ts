const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `12.3 MB`; decimal units, as file managers and `df -H` show them. */
export const formatBytes = (bytes: number): string => {
  const power = Math.min(
    Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)),
    UNITS.length - 1,
  )
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}
