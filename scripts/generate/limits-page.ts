import { LIMITS } from '@steward/contract'
import { renderTable } from './render-table.ts'

/** `docs/reference/limits.md` from the limits and the comments above them in the source. */
export const renderLimitsPage = (source: string): string => {
  const meanings = new Map(
    [...source.matchAll(/\/\*\* (.+?)(?: Spec \d, .+\.)? \*\/\n {2}(\w+):/g)].map(
      ([, text, name]) => [name, text],
    ),
  )
  const rows = Object.entries(LIMITS).map(([name, value]) => {
    const meaning = meanings.get(name)
    if (meaning === undefined)
      throw new Error(`limits.ts: ${name} has no comment that says what it is`)
    return [`\`${name}\``, formatLimit(name, value), meaning]
  })
  return `# Limits

Generated from \`packages/contract/src/limits.ts\` by \`npm run generate\`. Do not edit.

The same limits apply on this machine and on the edge, so that a definition behaves the same in both places.

${renderTable(['Limit', 'Value', 'Meaning'], rows)}`
}

const UNITS = [
  [1000, 'kB'],
  [1024 ** 3, 'GiB'],
  [1024 ** 2, 'MiB'],
  [1024, 'KiB'],
] as const

const formatLimit = (name: string, value: number): string => {
  if (name.endsWith('Ms')) return `${value / 1000} s`
  return name.endsWith('Bytes') ? formatBytes(value) : String(value)
}

/** In the largest unit that needs no fraction. */
export const formatBytes = (value: number): string => {
  const unit = UNITS.find(([bytes]) => value % bytes === 0)
  return unit === undefined ? `${value} bytes` : `${value / unit[0]} ${unit[1]}`
}
