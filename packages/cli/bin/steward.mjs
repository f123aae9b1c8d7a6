#!/usr/bin/env node
// Runs as it is on any Node from 20 on: it only finds a Node that can run the program, and starts it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const built = join(here, '..', 'dist', 'main.js')
const program = existsSync(built) ? built : join(here, '..', 'src', 'main.ts')
/** Earlier ones read some of our database queries differently. */
const oldest = 24

const fits = () => {
  const major = Number.parseInt(process.versions.node, 10)
  return major >= oldest && (program.endsWith('.js') || Boolean(process.features.typescript))
}

const findBundledNode = () => {
  const name = `node-${process.platform}-${process.arch}`
  for (let folder = here; ; folder = dirname(folder)) {
    const node = join(folder, 'node_modules', name, 'bin', 'node')
    if (existsSync(node)) return node
    // Installed beside this package, whose folder is then inside a node_modules already.
    const beside = join(folder, name, 'bin', 'node')
    if (existsSync(beside)) return beside
    if (folder === dirname(folder)) return undefined
  }
}

/** Started by another launcher: the two end together, also when that one is killed outright. */
const endWithLauncher = () => {
  if (process.env.STEWARD_LAUNCHED === undefined || !process.channel) return
  delete process.env.STEWARD_LAUNCHED
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel.unref()
}

const runHere = async () => {
  endWithLauncher()
  if (process.env.NODE_COMPILE_CACHE === undefined && module.enableCompileCache) {
    const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
    module.enableCompileCache(join(caches, 'steward', 'compiled'))
  }
  const emitWarning = process.emitWarning
  process.emitWarning = (warning, ...rest) => {
    const text = typeof warning === 'string' ? warning : warning.message
    if (/^SQLite is an experimental feature/.test(text)) return
    emitWarning.call(process, warning, ...rest)
  }
  await import(pathToFileURL(program).href)
}

const runWith = (node) => {
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
