import type { PathAccess } from '@steward/contract'

const HEADER =
  /^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* (Move) to: (.+)$|^(?:\+\+\+|---) (?:[ab]\/)?(\S+)/gm

/** The files that a patch changes. */
export const readPatchPaths = (patch: string): { path: string; access: PathAccess }[] =>
  [...patch.matchAll(HEADER)].flatMap(([, verb, named, , moved, plain]) => {
    const path = (named ?? moved ?? plain)?.trim()
    if (path === undefined || path === '/dev/null') return []
    return [{ path, access: verb === 'Delete' ? ('delete' as const) : ('write' as const) }]
  })
