import { join } from 'node:path'
import type { Plugin } from 'esbuild'

/** Resolves `steward:A_NAME/action.ts` in an entry to that file in the action's folder. */
export const actionImports = (folder: string | undefined): Plugin => ({
  name: 'steward-action-imports',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^steward:/ }, ({ path }) => {
      const file = path.slice(path.indexOf('/') + 1)
      return folder === undefined ? undefined : { path: join(folder, file) }
    })
  },
})
