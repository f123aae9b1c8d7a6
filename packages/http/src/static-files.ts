import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { codeOf } from '@steward/platform'
import { PAGE_HEADERS } from './security-headers.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json',
}
const ENTRY = 'index.html'
/** The build puts a content hash into these names, so they can be cached permanently. */
const HASHED = 'assets/'
const KEPT = 'public, max-age=31536000, immutable'

const COMPRESSIBLE = /^text\/|json|svg/
const compress = promisify(gzip)

/** Header lines of a request that decide in which form a file is sent. */
interface FileConditions {
  ifNoneMatch?: string | undefined
  acceptEncoding?: string | undefined
}

export interface StaticFiles {
  /** `path` as requested, still encoded; dot segments were already refused. */
  serve: (path: string, conditions: FileConditions) => Promise<Response>
  isBuilt: () => Promise<boolean>
}

/**
 * The built dashboard. A path without an extension is one of its pages and gets the entry file,
 * which routes in the browser. Nothing outside the folder is served, even through links inside it.
 */
export const createStaticFiles = (folder: string, buildCommand: string): StaticFiles => {
  const isBuilt = async () => (await find(folder, ENTRY)) !== undefined
  /** By path; each file is compressed once. A build has few files. */
  const compressed = new Map<string, { etag: string; content: Promise<Buffer> }>()
  const readCompressed = (path: string, etag: string): Promise<Buffer> => {
    const known = compressed.get(path)
    if (known?.etag === etag) return known.content
    const content = readFile(path).then((bytes) => compress(bytes))
    compressed.set(path, { etag, content })
    content.catch(() => compressed.delete(path))
    return content
  }
  return {
    isBuilt,
    serve: async (path, { ifNoneMatch, acceptEncoding }) => {
      const name = decodeURIComponent(path).slice(1)
      const isPage = extname(name) === ''
      const file = isHidden(name) ? undefined : await find(folder, isPage ? ENTRY : name)
      if (file === undefined) {
        return isPage || !(await isBuilt()) ? missingBuild(buildCommand) : page(404, 'Not found')
      }
      const etag = `W/"${file.size.toString(36)}-${Math.floor(file.mtimeMs).toString(36)}"`
      const type = TYPES[extname(file.path).toLowerCase()] ?? 'application/octet-stream'
      const isCompressible = COMPRESSIBLE.test(type)
      const headers = {
        ...PAGE_HEADERS,
        etag,
        'cache-control': name.startsWith(HASHED) ? KEPT : 'no-cache',
        ...(isCompressible ? { vary: 'accept-encoding' } : {}),
      }
      if (matches(ifNoneMatch, etag)) return new Response(null, { status: 304, headers })
      if (isCompressible && acceptsGzip(acceptEncoding)) {
        return new Response(new Uint8Array(await readCompressed(file.path, etag)), {
          headers: { ...headers, 'content-type': type, 'content-encoding': 'gzip' },
        })
      }
      return new Response(await readFile(file.path), {
        headers: { ...headers, 'content-type': type },
      })
    },
  }
}

const acceptsGzip = (acceptEncoding: string | undefined): boolean =>
  (acceptEncoding ?? '').split(',').some((each) => {
    const [coding, ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

const isHidden = (name: string): boolean =>
  name.split('/').some((segment) => segment.startsWith('.'))

interface Found {
  path: string
  size: number
  mtimeMs: number
}

/** The real file behind a name, if it exists inside the folder. */
const find = async (folder: string, name: string): Promise<Found | undefined> => {
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, name))])
    if (!path.startsWith(`${root}${sep}`)) return undefined
    const { size, mtimeMs, isFile } = await statFile(path)
    return isFile ? { path, size, mtimeMs } : undefined
  } catch (thrown) {
    if (isAbsence(thrown)) return undefined
    throw thrown
  }
}

const statFile = async (path: string) => {
  const stats = await stat(path)
  return { size: stats.size, mtimeMs: stats.mtimeMs, isFile: stats.isFile() }
}

const ABSENCE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG'])
const isAbsence = (thrown: unknown): boolean => ABSENCE.has(codeOf(thrown) ?? '')

const matches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((each) => each.trim() === etag)

const missingBuild = (command: string): Response =>
  page(503, `The dashboard is not built. Build it with: ${command}`)

/** `text` is ours, never a caller's, so it needs no escaping. */
const page = (status: number, text: string): Response =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Steward</title><h1>Steward</h1><p>${text}</p></html>\n`,
    {
      status,
      headers: {
        ...PAGE_HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
      },
    },
  )
