import type { ReadSource } from './source.ts'

/** One item per period, so that each is reported once. */
export const readUsage: ReadSource<'usage'> = async ({ period }, ports) => [
  await ports.readUsage(period),
]
