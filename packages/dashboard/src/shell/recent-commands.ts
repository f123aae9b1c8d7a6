import type { Command } from './commands.svelte.ts'

/** Recent choices in the palette; only those with an address can be offered again. */
export type Remembered = Required<Pick<Command, 'id' | 'title' | 'kind' | 'href'>>

const STORED = 'steward.recent'
const MOST = 8

/** The last chosen first. */
export const readRecent = (): Remembered[] => {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]')
    return Array.isArray(found) ? found.filter(isRemembered) : []
  } catch {
    return []
  }
}

export const remember = ({ id, title, kind = '', href }: Command): void => {
  if (href === undefined) return
  const others = readRecent().filter((each) => each.id !== id)
  const kept = [{ id, title, kind, href }, ...others].slice(0, MOST)
  localStorage.setItem(STORED, JSON.stringify(kept))
}

const isRemembered = (value: unknown): value is Remembered =>
  typeof value === 'object' &&
  value !== null &&
  ['id', 'title', 'kind', 'href'].every(
    (name) => typeof Object.getOwnPropertyDescriptor(value, name)?.value === 'string',
  )
