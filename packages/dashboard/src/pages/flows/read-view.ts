import { decodePart } from '../../router/decode-part.ts'

/** The view of a path under /flows. */
export type FlowsView =
  | { kind: 'home' }
  | { kind: 'run'; id: string }
  | { kind: 'entry'; name: string }
  | { kind: 'unknown' }

export const readView = (path: string): FlowsView => {
  const parts = path.split('/').filter((part) => part !== '')
  const [, first, second, ...rest] = parts.map(decodePart)
  if (first === undefined) return { kind: 'home' }
  if (first === 'runs' && second !== undefined && rest.length === 0) {
    return { kind: 'run', id: second }
  }
  return second === undefined && /^[APF]_/.test(first)
    ? { kind: 'entry', name: first }
    : { kind: 'unknown' }
}

export const hrefOfRun = (id: string): string => `/flows/runs/${encodeURIComponent(id)}`
export const hrefOfEntry = (name: string): string => `/flows/${encodeURIComponent(name)}`
