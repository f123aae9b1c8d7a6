/** Bundles the hook program into one file without dependencies: packages/hosts/dist/steward-hook.mjs. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '..')
const outfile = join(root, 'packages/hosts/dist/steward-hook.mjs')
const zodStandIn = join(root, 'packages/hosts/src/hook/bundle/zod-stand-in.ts')

/** Modules of Node that take long to load and are needed by few events: loaded when they are called. */
const LATE: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['randomBytes', 'createHash', 'randomUUID'],
}

const startFast: Plugin = {
  name: 'start-fast',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^zod$/ }, () => ({ path: zodStandIn }))
    onResolve({ filter: /^node:/ }, ({ path, importer }) =>
      Object.hasOwn(LATE, path) && !importer.includes('node_modules')
        ? { path, namespace: 'late', sideEffects: false }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'late' }, ({ path }) => ({
      contents: (LATE[path] ?? [])
        .map(
          (name) =>
            `export const ${name} = (...given) => process.getBuiltinModule('${path}').${name}(...given)`,
        )
        .join('\n'),
    }))
  },
}

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['packages/hosts/src/hook/main.ts'],
  outfile,
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  minify: true,
  legalComments: 'none',
  banner: { js: '#!/usr/bin/env node' },
  plugins: [startFast],
  logLevel: 'warning',
})
const text = outputFiles[0]?.text ?? ''
// Sessions under way run the old one: it is replaced whole, and only when it is another.
if (!existsSync(outfile) || readFileSync(outfile, 'utf8') !== text) {
  await mkdir(dirname(outfile), { recursive: true })
  const draft = `${outfile}.${process.pid}`
  await writeFile(draft, text, { mode: 0o755 })
  await rename(draft, outfile)
}
console.log(outfile)
