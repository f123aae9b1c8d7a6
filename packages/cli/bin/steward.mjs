#!/usr/bin/env node
// Runs on any Node from 20 on: it only finds a suitable Node and starts the program. Static imports
// of Node's modules would evaluate all their exports; this way does not. An older Node lacks it, so
// its own `require` is used.
process.getBuiltinModule ??= (await import('node:module')).createRequire(import.meta.url)
const { existsSync } = process.getBuiltinModule('node:fs')
const { homedir } = process.getBuiltinModule('node:os')
const { dirname, join } = process.getBuiltinModule('node:path')
const { fileURLToPath, pathToFileURL } = process.getBuiltinModule('node:url')

const here = dirname(fileURLToPath(import.meta.url))
const packed = join(here, '..', 'dist')
const isPacked = existsSync(join(packed, 'program.json'))
const root = isPacked ? dirname(here) : join(here, '..', '..', '..')
/** The first Node that runs TypeScript without a flag. */
const oldest = '22.18'

const fits = () => {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [oldestMajor, oldestMinor] = oldest.split('.').map(Number)
  const isRecent = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
  return isRecent && (isPacked || Boolean(process.features.typescript))
}

const findBundledNode = () => {
  const name = `node-${process.platform}-${process.arch}`
  for (let folder = here; ; folder = dirname(folder)) {
    const node = join(folder, 'node_modules', name, 'bin', 'node')
    if (existsSync(node)) return node
    // Installed beside this package, whose folder is then already inside a node_modules.
    const beside = join(folder, name, 'bin', 'node')
    if (existsSync(beside)) return beside
    if (folder === dirname(folder)) return undefined
  }
}

/** Started by another launcher: both exit together, even if that one is killed. */
const endWithLauncher = () => {
  if (process.env.STEWARD_LAUNCHED === undefined || !process.channel) return
  delete process.env.STEWARD_LAUNCHED
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel.unref()
}

/** The command of a command line, found like in `createProgram`. */
const findWord = () => {
  const words = process.argv.slice(2).filter((arg) => !arg.startsWith('-'))
  const word = words[0] === 'help' ? words[1] : words[0]
  return word !== undefined && /^[a-z_-]+$/.test(word) ? word : 'main'
}

/** The folder of the bundled program, up to date in a clone; undefined if it cannot be built. */
const findBundled = async (word, compileCache) => {
  if (isPacked) return packed
  const { findBuild, holdBuild } = await import('./clone-build.mjs')
  const build = findBuild(root, word, compileCache)
  if (build !== undefined) holdBuild(build)
  return build
}

/** Experimental parts of Node that we test with, and a library for web push that parses addresses the old way. */
const HIDDEN =
  /^(?:(?:SQLite|vm.USE_MAIN_CONTEXT_DEFAULT_LOADER) is an experimental feature|`url.parse\(\)` behavior)/

const hideWarnings = () => {
  const emitWarning = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const text = typeof warning === 'string' ? warning : warning.message
    if (HIDDEN.test(text)) return
    emitWarning.call(process, warning, ...rest)
  }
}

const runHere = async () => {
  endWithLauncher()
  hideWarnings()
  const caches = join(
    process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'steward',
    'compiled',
  )
  // For the person's own actions, which Node compiles.
  if (process.env.NODE_COMPILE_CACHE === undefined) {
    process.getBuiltinModule('node:module').enableCompileCache(caches)
  }
  const word = findWord()
  const folder = await findBundled(word, caches)
  if (folder === undefined) {
    await (await import(pathToFileURL(join(here, '..', 'src', 'main.ts')).href)).main()
    return
  }
  const cacheFolder = join(caches, root.replaceAll(/[^\w.-]+/g, '-').slice(-200))
  await (await import('./run-bundled.mjs')).runBundled({ folder, root, cacheFolder, word })
}

const runWith = (node) => {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, STEWARD_LAUNCHED: '1' },
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const passOn = (signal) => child.kill(signal)
  for (const signal of signals) process.on(signal, passOn)
  child.on('error', (error) => {
    process.stderr.write(`steward: could not start ${node}: ${error.message}\n`)
    process.exit(5)
  })
  child.on('exit', (code, signal) => {
    for (const name of signals) process.removeListener(name, passOn)
    if (signal === null) process.exit(code)
    process.kill(process.pid, signal)
  })
}

const explainMissing = () => {
  process.stderr.write(
    [
      `steward: this is Node ${process.versions.node}; Steward needs ${oldest} or later, and no bundled one was found.`,
      '  In a clone:    npm ci        (brings its own Node for Linux on x64 and arm64)',
      '  Anywhere:      install Node 24 from https://nodejs.org, then try again',
      '',
    ].join('\n'),
  )
  process.exit(5)
}

if (fits()) {
  await runHere()
} else {
  const node = process.env.STEWARD_LAUNCHED === undefined ? findBundledNode() : undefined
  if (node === undefined) explainMissing()
  else runWith(node)
}
