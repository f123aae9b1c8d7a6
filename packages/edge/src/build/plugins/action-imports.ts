import { join } from 'node:path'
import type { Plugin } from 'esbuild'

/** `steward:A_NAME/action.ts` in an entry is that file of the action's folder, wherever it lies on this machine. */
export const actionImports = (folder: string | undefined): Plugin => ({
  name: 'steward-action-imports',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^steward:/ }, ({ path }) => {
      const file = path.slice(path.indexOf('/') + 1)
      return folder === undefined ? undefined : { path: join(folder, file) }
    })
  },
})
