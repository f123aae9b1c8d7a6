import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DEFAULT_RULES, describePattern } from '@steward/policy'
import { build, type Metafile, type Plugin } from 'esbuild'
import { createDirectImports } from './direct-imports.ts'
import { escapeForeign } from './escape-foreign.ts'
import { gateRegexes } from './gate-regexes.ts'

const root = join(import.meta.dirname, '../..')
const outdir = join(root, 'packages/assistants/dist')
const HOOK_FILE = 'steward-hook.mjs'
const PROGRAM = 'steward-hook-program.js'
/** The program with the guards, which are half of its code. */
const GUARD_PROGRAM = 'steward-hook-guard.js'
/** Rarely needed: YAML, schemas and the routing table. */
const LAZY_PROGRAM = 'steward-hook-late.mjs'
const zodStandIn = join(root, 'packages/assistants/src/hook/bundle/zod-stand-in.ts')
const filesStandIn = join(root, 'packages/assistants/src/hook/bundle/files-stand-in.ts')

/** Modules that are slow to load and rarely needed, so they are loaded on first use. */
const LATE: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:sqlite',
  'node:timers/promises',
  'node:zlib',
])

/**
 * Importing a module of Node evaluates all its exports, including `process.stdout` and streams,
 * which takes as long as the rest of the hook; this way does not.
 */
const loadBuiltin = (path: string, without: ReadonlySet<string> = new Set()): string => {
  const module = `process.getBuiltinModule(${JSON.stringify(path)})`
  const exported = Object.entries(process.getBuiltinModule(path) ?? {})
  return exported
    .filter(([name]) => name !== 'default' && !without.has(name))
    .map(([name, value]) =>
      LATE.has(path) && typeof value === 'function'
        ? `export function ${name}(...given) {
        const found = ${module}?.${name}
        if (!found) throw new Error('Node ' + process.versions.node + ' has no ${path}: Steward needs 22.13 or later')
        return new.target ? new found(...given) : found(...given)
      }`
        : `export const ${name} = /* @__PURE__ */ (() => ${module}.${name})()`,
    )
    .join('\n')
}

const startFast: Plugin = {
  name: 'start-fast',
  setup: ({ onResolve, onLoad }) => {
    // Installing and checking belong to the command line, so the hook never calls these.
    onResolve({ filter: /\/setup\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
    onResolve({ filter: /lazy-guards\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${LAZY_PROGRAM}`, external: true } : undefined,
    )
    onResolve({ filter: /^node:/ }, ({ path, importer }) =>
      importer.includes('node_modules') ? { path, external: true } : { path, namespace: 'builtin' },
    )
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({ contents: loadBuiltin(path) }))
  },
}

/** Names that the stand-in lacks come from the real module. */
const withoutAsyncFiles: Plugin = {
  name: 'without-async-files',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:fs\/promises$/ }, ({ path }) => ({ path, namespace: 'files' }))
    onLoad({ filter: /./, namespace: 'files' }, async ({ path }) => {
      const own = Object.keys(await import(pathToFileURL(filesStandIn).href))
      const other = loadBuiltin(path, new Set(own))
      const contents = `export { ${own.join(', ')} } from ${JSON.stringify(filesStandIn)}\n${other}`
      return { contents, resolveDir: root }
    })
  },
}

/**
 * A lazily imported module is only evaluated lazily if nothing else imports it, and an index
 * imports everything.
 */
const imports = createDirectImports()
const withDirectImports: Plugin = {
  name: 'with-direct-imports',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: imports.rewrite(await readFile(path, 'utf8'), path),
      loader: 'ts',
      resolveDir: dirname(path),
    }))
  },
}

const withoutZod: Plugin = {
  name: 'without-zod',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^zod$/ }, () => ({ path: zodStandIn }))
  },
}

/** Describes the built-in patterns now, so that a guard does not parse them for every call. */
const withKnownPatterns: Plugin = {
  name: 'with-known-patterns',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/policy\/src\/patterns\/known-patterns\.ts$/ }, () => {
      const known = Object.values(DEFAULT_RULES.bash)
        .flat()
        .flatMap(({ pattern }) => {
          const described = describePattern(pattern)
          return described === undefined ? [] : [[pattern, described]]
        })
      return { contents: `export const KNOWN_PATTERNS = new Map(${JSON.stringify(known)})` }
    })
  },
}

/** Most calls report an event and judge nothing; the program for them is loaded in less time. */
const withoutGuards: Plugin = {
  name: 'without-guards',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\/guard-event\.ts$/ }, ({ path }) => ({ path, namespace: 'guards' }))
    onLoad({ filter: /./, namespace: 'guards' }, () => ({
      contents: `export const guardEvent = () => { throw new Error('${PROGRAM} has no guards') }`,
    }))
  },
}

const withGatedRegexes: Plugin = {
  name: 'with-gated-regexes',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/platform\/src\/redaction\/.*\.ts$/ }, async ({ path }) => ({
      contents: gateRegexes(imports.rewrite(await readFile(path, 'utf8'), path)),
      loader: 'ts',
      resolveDir: dirname(path),
    }))
  },
}

/** A dependency of the late part asks for Node's modules the old way. */
const REQUIRE = `import{createRequire}from'node:module';const require=createRequire(import.meta.url);`

/** An old Node lacks this function, so its own `require` is used. */
const OLD_NODE = `process.getBuiltinModule??=(await import('node:module')).createRequire(import.meta.url);`

const bundle = async (
  entry: string,
  name: string,
  plugins: Plugin[],
  { format = 'esm', banner = '' }: { format?: 'esm' | 'cjs'; banner?: string } = {},
): Promise<Bundled> => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join('packages/assistants/src', entry)],
    outfile: join(outdir, name),
    bundle: true,
    write: false,
    format,
    platform: 'node',
    target: 'node22',
    minify: true,
    legalComments: 'none',
    banner: { js: banner },
    plugins,
    logLevel: 'warning',
    metafile: true,
  })
  return { code: outputFiles[0]?.text ?? '', metafile }
}

interface Bundled {
  code: string
  metafile: Metafile
}

/**
 * The programs as `loadProgram` takes them: scripts that evaluate to a function. The hash in front is
 * that of all, because their compiled code is kept in one folder, which only keeps one version.
 */
const asFunctions = (codes: readonly string[]): string[] => {
  const late = `import("./${LAZY_PROGRAM}")`
  if (!codes.some((code) => code.includes(late))) throw new Error(`no program contains ${late}`)
  const bodies = codes.map((code) => escapeForeign(code.replaceAll(late, 'importLate()')))
  const hash = createHash('sha256').update(bodies.join('\n')).digest('hex').slice(0, 32)
  return bodies.map((body) => `//${hash}\n(function (exports, module, importLate) {${body}\n})\n`)
}

/** Running sessions use the old program, so it is replaced atomically, and only if it changed. */
const replace = async (name: string, text: string): Promise<void> => {
  const path = join(outdir, name)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  const draft = `${path}.${process.pid}`
  await writeFile(draft, text, { mode: 0o755 })
  await rename(draft, path)
}

/**
 * Bundles the hook program, without dependencies, into packages/assistants/dist: steward-hook.mjs
 * and the files it loads. Answers with the source files it consists of.
 */
export const bundleHook = async (): Promise<string[]> => {
  const quick = [
    withoutAsyncFiles,
    startFast,
    withoutZod,
    withKnownPatterns,
    withGatedRegexes,
    withDirectImports,
  ]
  const late = await bundle('guard/lazy-guards.ts', LAZY_PROGRAM, [startFast], { banner: REQUIRE })
  const cjs = { format: 'cjs' } as const
  const guard = await bundle('hook/run-hook.ts', GUARD_PROGRAM, quick, cjs)
  const program = await bundle('hook/run-hook.ts', PROGRAM, [withoutGuards, ...quick], cjs)
  const main = await bundle('hook/main.ts', HOOK_FILE, quick, { banner: OLD_NODE })
  await mkdir(outdir, { recursive: true })
  await replace(LAZY_PROGRAM, late.code)
  const [programText = '', guardText = ''] = asFunctions([program.code, guard.code])
  await replace(PROGRAM, programText)
  await replace(GUARD_PROGRAM, guardText)
  await replace(HOOK_FILE, main.code)
  return [late, guard, program, main].flatMap(({ metafile }) => Object.keys(metafile.inputs))
}
