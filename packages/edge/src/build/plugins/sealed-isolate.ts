import type { Plugin } from 'esbuild'

/** Imported before an action, so that its module already finds the network sealed. */
export const SEAL_MODULE = 'steward-seal'

const SCOPE = 'sealed-isolate'
const REFUSED = 'refused-module'

/** Modules with which code opens connections itself, or reads every secret of its worker. */
const OUTSIDE =
  /^((node:)?(net|tls|http|https|http2|dgram|inspector|inspector\/promises)|cloudflare:(sockets|workers|email))$/

/**
 * Gives an action no way to the network but its capability. Modules that open connections can be
 * imported, because many packages do so without need, but every use throws.
 */
export const sealedIsolate = (allowsSockets: boolean): Plugin => ({
  name: 'steward-sealed-isolate',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: new RegExp(`^${SEAL_MODULE}$`) }, () => ({
      path: SEAL_MODULE,
      namespace: SCOPE,
    }))
    onLoad({ filter: /.*/, namespace: SCOPE }, () => ({
      contents: `import { AsyncLocalStorage } from 'node:async_hooks'
import { sealIsolate } from '@steward/worker'
export const network = sealIsolate(new AsyncLocalStorage())
`,
      loader: 'js',
      resolveDir: '/',
    }))
    if (allowsSockets) return
    onResolve({ filter: OUTSIDE }, ({ path }) => ({ path, namespace: REFUSED }))
    onLoad({ filter: /.*/, namespace: REFUSED }, ({ path }) => ({
      contents: `const refuse = () => {
  throw new Error('an action cannot use ${path}: it reaches the network through context.capabilities.fetch only')
}
const refused = new Proxy(function () {}, {
  get: (target, name) => (name === 'prototype' ? target.prototype : name === 'then' || typeof name === 'symbol' ? undefined : refused),
  apply: refuse,
  construct: refuse,
})
export { ${['default', ...exportsOf(path)].map((name) => `refused as ${name}`).join(', ')} }
`,
      loader: 'js',
    }))
  },
})

const CLOUDFLARE_EXPORTS: Record<string, string[]> = {
  'cloudflare:sockets': ['connect'],
  'cloudflare:email': ['EmailMessage'],
  'cloudflare:workers': [
    ...['env', 'exports', 'waitUntil', 'withEnv', 'DurableObject', 'RpcStub', 'RpcTarget'],
    ...['WorkerEntrypoint', 'WorkflowEntrypoint'],
  ],
}

const exportsOf = (path: string): string[] =>
  CLOUDFLARE_EXPORTS[path] ??
  Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== 'default')
