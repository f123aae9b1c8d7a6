import { join } from 'node:path'

/** The two roots of every primitive. On a name clash the user's wins. */
export interface CatalogRoots {
  actions: readonly RootFolder[]
  pipelines: readonly RootFolder[]
  flows: readonly RootFolder[]
}

export interface RootFolder {
  path: string
  origin: Origin
}

export type Origin = 'user' | 'built-in'

/** `user` is USER in the data home, `builtIn` the library that ships with Steward. */
export const catalogRoots = (user: string, builtIn: string): CatalogRoots => ({
  actions: [
    { path: join(user, 'ACTIONS'), origin: 'user' },
    { path: join(builtIn, 'actions'), origin: 'built-in' },
  ],
  pipelines: [
    { path: join(user, 'PIPELINES'), origin: 'user' },
    { path: join(builtIn, 'pipelines'), origin: 'built-in' },
  ],
  flows: [
    { path: join(user, 'FLOWS'), origin: 'user' },
    { path: join(builtIn, 'flows'), origin: 'built-in' },
  ],
})
