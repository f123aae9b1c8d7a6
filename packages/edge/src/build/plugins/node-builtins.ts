import { builtinModules } from 'node:module'
import type { Plugin } from 'esbuild'

const BUILTINS = new Set(builtinModules)
const REQUIRED = 'node-builtin'

/**
 * Node's own modules are the runtime's (`nodejs_compat`) and stay outside, always under their full name.
 * `require` is unknown to a worker: a required one becomes an import.
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
