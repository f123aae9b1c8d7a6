// Finds the compiled program of a clone, and recompiles it if a source file changed.
const fs = process.getBuiltinModule('node:fs')
const { join } = process.getBuiltinModule('node:path')

const STAT = { throwIfNoEntry: false }

/**
 * The identity of a source file: its path in the clone, its change time and its size. Restoring,
 * renaming or checking out a file also changes the time.
 */
export const stampOf = (root, path) => {
  const stat = fs.statSync(`${root}/${path}`, STAT)
  return [path, stat?.ctimeMs ?? 0, stat?.size ?? -1]
}

/** Whether the files that this command may execute are unchanged since `build` was made. */
export const isCurrent = (build, root, word) => {
  const inputs = readInputs(build, word)
  if (inputs === undefined) return false
  // On the critical path of every command start: nothing is allocated per file.
  for (const [path, changedMs, size] of inputs) {
    const stat = fs.statSync(`${root}/${path}`, STAT)
    if (stat === undefined || stat.ctimeMs !== changedMs || stat.size !== size) return false
  }
  return true
}

const readInputs = (build, word) => {
  for (const name of [word, 'main']) {
    try {
      return JSON.parse(fs.readFileSync(join(build, 'inputs', `${name}.json`), 'utf8'))
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
  return undefined
}

/** In a build: a file named after the pid of each process that may still read chunks of it. */
export const READERS = 'readers'

/** Keeps the build from being removed by later ones until this process ends. */
export const holdBuild = (build) => {
  const file = join(build, READERS, String(process.pid))
  try {
    fs.writeFileSync(file, '')
  } catch {
    // Without write access, this user cannot remove builds either.
    return
  }
  process.on('exit', () => fs.rmSync(file, { force: true }))
}

/** Exit code of the build if sources changed while it read them. */
export const SOURCES_CHANGED = 75
const MOST_ATTEMPTS = 5
/** The build refuses files that changed just before it started; see `SETTLED_MS` there. */
const SETTLE_MS = 60
/** SQLite is experimental in Node 22. */
const QUIET = '--disable-warning=ExperimentalWarning'
/** The bundler is a fifth faster if it collects garbage only when it needs much memory. */
const BUNDLER_MEMORY = { GOGC: 'off', GOMEMLIMIT: '700MiB' }

/**
 * The folder of a current build for this command; undefined if there is none and none can be made.
 */
export const findBuild = (root, word, compileCache) => {
  const dist = join(root, 'packages', 'cli', 'dist')
  const find = () => {
    const build = currentOf(dist)
    return build !== undefined && isCurrent(build, root, word) ? build : undefined
  }
  const found = find()
  if (found !== undefined || !canBuild(root)) return found
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const script = join(root, 'scripts', 'program', 'build-clone.ts')
  const env = { NODE_COMPILE_CACHE: compileCache, ...BUNDLER_MEMORY, ...process.env }
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLE_MS)
    const { status } = spawnSync(process.execPath, [QUIET, script, word], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    })
    const built = status === 0 ? find() : undefined
    if (built !== undefined || (status !== 0 && status !== SOURCES_CHANGED)) return built
  }
  return undefined
}

const currentOf = (dist) => {
  try {
    return join(dist, fs.readlinkSync(join(dist, 'current')))
  } catch {
    return undefined
  }
}

const canBuild = (root) =>
  Boolean(process.features.typescript) && fs.existsSync(join(root, 'node_modules', 'esbuild'))
