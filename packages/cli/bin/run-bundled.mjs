// Runs the bundled program (scripts/program/bundle-program.ts): chunks that are read and executed
// on first use. Importing Node's modules would evaluate all their exports; this way does not.
const fs = process.getBuiltinModule('node:fs')
const { createRequire } = process.getBuiltinModule('node:module')
const { dirname, join } = process.getBuiltinModule('node:path')
const { pathToFileURL } = process.getBuiltinModule('node:url')
const { constants, Script } = process.getBuiltinModule('node:vm')

const LENGTH_BYTES = 4
/** V8 copies a code cache that is not aligned like this. */
const ALIGNMENT = 16

/**
 * One file contains the compiled code of all chunks of a command. V8 distinguishes sources by
 * little more than their length, so the file is named after the program's hash.
 */
const readCompiled = (file) => {
  const compiled = new Map()
  try {
    const bytes = fs.readFileSync(file)
    const headerEnd = LENGTH_BYTES + bytes.readUInt32LE(0)
    const header = JSON.parse(bytes.toString('latin1', LENGTH_BYTES, headerEnd))
    for (const [name, start, length] of header)
      compiled.set(name, bytes.subarray(start, start + length))
  } catch {
    // Not cached yet.
  }
  return compiled
}

const align = (offset) => Math.ceil(offset / ALIGNMENT) * ALIGNMENT

const writeCompiled = (file, scripts) => {
  const parts = [...scripts].map(([name, script]) => ({ name, data: script.createCachedData() }))
  const render = (first) => {
    let next = first
    return JSON.stringify(
      parts.map(({ name, data }) => {
        const start = next
        next = align(next + data.length)
        return [name, start, data.length]
      }),
    )
  }
  // Numbers may get longer with the offset, which depends on the length of the header.
  const first = align(LENGTH_BYTES + render(0).length + parts.length * 12)
  const header = render(first).padEnd(first - LENGTH_BYTES)
  const bytes = [Buffer.alloc(LENGTH_BYTES), Buffer.from(header, 'latin1')]
  bytes[0].writeUInt32LE(header.length)
  for (const { data } of parts) bytes.push(data, Buffer.alloc(align(data.length) - data.length))
  const draft = `${file}.${process.pid}`
  fs.writeFileSync(draft, Buffer.concat(bytes), { flush: true })
  fs.renameSync(draft, file)
}

/** Caches compiled code for the next start and deletes that of other versions. */
const keepCompiled = (folder, version, word, scripts) => {
  try {
    fs.mkdirSync(folder, { recursive: true })
    for (const name of fs.readdirSync(folder)) {
      if (!name.startsWith(version)) fs.rmSync(join(folder, name), { force: true })
    }
    writeCompiled(join(folder, `${version}-${word}`), scripts)
  } catch {
    // Without the cache the next start is only slower.
  }
}

export const runBundled = async ({ folder, root, cacheFolder, word }) => {
  const { main, id, wide } = JSON.parse(fs.readFileSync(join(folder, 'program.json'), 'utf8'))
  const version = `${id}-${process.version}`
  const compiled = readCompiled(join(cacheFolder, `${version}-${word}`))
  const scripts = new Map()
  let isNews = false
  const compile = (name) => {
    const filename = `${folder}/chunks/${name}`
    const cachedData = compiled.get(name)
    const script = new Script(fs.readFileSync(filename, wide.includes(name) ? 'utf8' : 'latin1'), {
      filename,
      cachedData,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    })
    isNews ||= cachedData === undefined || script.cachedDataRejected
    scripts.set(name, script)
    return script.runInThisContext()
  }
  const require = createRequire(join(folder, 'program.json'))
  const importMetaOf = (place) => {
    const filename = join(root, place)
    return { filename, dirname: dirname(filename), url: pathToFileURL(filename).href }
  }
  const { url } = importMetaOf('package.json')
  const loaded = new Map()
  const loadChunk = (name) => {
    const known = loaded.get(name)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    const given = [require, importMetaOf, url, loadChunk, loadLater, folder]
    compile(name)(module.exports, module, ...given)
    return module.exports
  }
  const loadLater = async (name) => loadChunk(name)
  process.on('exit', () => {
    if (isNews) keepCompiled(cacheFolder, version, word, scripts)
  })
  await loadChunk(main).main()
}
