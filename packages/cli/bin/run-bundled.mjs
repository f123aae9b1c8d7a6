// Runs the bundled program (scripts/program/bundle-program.ts): one file of chunks, each executed when first needed.
// Imports of Node's modules would evaluate all that they export; asked for like this they do not.
const fs = process.getBuiltinModule('node:fs')
const { createRequire } = process.getBuiltinModule('node:module')
const { dirname, join } = process.getBuiltinModule('node:path')
const { pathToFileURL } = process.getBuiltinModule('node:url')
const { constants, Script } = process.getBuiltinModule('node:vm')

/** How many bytes at the end of a code cache say how many chunks had been executed when it was made. */
const COUNT_BYTES = 4

const readIfAny = (file) => {
  try {
    return fs.readFileSync(file)
  } catch {
    return undefined
  }
}

/** V8 recognises a cache by little more than the length of its source: it is named after the program's hash. */
const compile = (file, cacheFolder, word) => {
  const source = fs.readFileSync(file, 'latin1')
  const id = source.slice(2, source.indexOf('\n'))
  const cacheFile = join(cacheFolder, `${id}-${process.version}-${word}.bin`)
  const kept = readIfAny(cacheFile)
  const script = new Script(source, {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(kept && { cachedData: kept.subarray(0, -COUNT_BYTES) }),
  })
  const isUsed = kept !== undefined && !script.cachedDataRejected
  const countKept = isUsed ? kept.readUInt32LE(kept.length - COUNT_BYTES) : 0
  /** Keeps what was compiled for the next time, when there is more of it than was kept. */
  const keep = (countLoaded) => {
    if (countLoaded <= countKept) return
    try {
      fs.mkdirSync(cacheFolder, { recursive: true })
      for (const name of fs.readdirSync(cacheFolder)) {
        if (!name.startsWith(id)) fs.rmSync(join(cacheFolder, name), { force: true })
      }
      const count = Buffer.alloc(COUNT_BYTES)
      count.writeUInt32LE(countLoaded)
      const draft = `${cacheFile}.${process.pid}`
      fs.writeFileSync(draft, Buffer.concat([script.createCachedData(), count]), { flush: true })
      fs.renameSync(draft, cacheFile)
    } catch {
      // Without the cache the next start takes longer, and that is all.
    }
  }
  return { script, keep }
}

export const runBundled = async ({ file, root, cacheFolder, word }) => {
  const { script, keep } = compile(file, cacheFolder, word)
  const importMetaOf = (place) => {
    const filename = join(root, place)
    return { filename, dirname: dirname(filename), url: pathToFileURL(filename).href }
  }
  const chunks = script.runInThisContext()(
    createRequire(file),
    importMetaOf,
    pathToFileURL(file).href,
  )
  const loaded = new Map()
  const loadChunk = (name) => {
    const known = loaded.get(name)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    chunks[name](module.exports, module, loadChunk, loadLater)
    return module.exports
  }
  const loadLater = async (name) => loadChunk(name)
  process.on('exit', () => keep(loaded.size))
  await loadChunk('main.js').main()
}
