import { builtinModules } from 'node:module'
import type { Plugin } from 'esbuild'

const BUILTINS = new Set(builtinModules)
const REQUIRED = 'node-builtin'

/**
 * Node's own modules are provided by the runtime (`nodejs_compat`) and stay external, always under
 * their full name. Workers have no `require`, so it becomes an import.
 */
export const nodeBuiltins: Plugin = {
  name: 'steward-node-builtins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(node:)?[a-z_]+(\/[a-z_/]+)?$/ }, ({ path, kind }) => {
      if (!path.startsWith('node:') && !BUILTINS.has(path)) return undefined
      const name = path.startsWith('node:') ? path : `node:${path}`
      return kind === 'require-call'
        ? { path: name, namespace: REQUIRED }
        : { path: name, external: true }
    })
    onLoad({ filter: /.*/, namespace: REQUIRED }, ({ path }) => ({
      contents: `import builtin from '${path}'\nmodule.exports = builtin\n`,
      loader: 'js',
    }))
  },
}
