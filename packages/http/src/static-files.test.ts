import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createStaticFiles } from './static-files.ts'

let root = ''
let build = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'static-'))
  build = join(root, 'build')
  mkdirSync(join(build, 'assets'), { recursive: true })
  writeFileSync(join(build, 'index.html'), '<h1>entry</h1>')
  writeFileSync(join(build, 'assets', 'app.js'), 'export {}')
  writeFileSync(join(build, '.secret.txt'), 'hidden')
  writeFileSync(join(root, 'outside.txt'), 'outside')
  mkdirSync(join(root, 'build-other'))
  writeFileSync(join(root, 'build-other', 'x.txt'), 'outside')
})
afterEach(() => rmSync(root, { recursive: true }))

const get = (path: string, ifNoneMatch?: string) =>
  createStaticFiles(build, 'npm start').serve(path, { ifNoneMatch })

it.each(['/', '/agents', '/knowledge/ideas'])('%s is a page: the entry', async (path) => {
  const response = await get(path)
  expect(await response.text()).toBe('<h1>entry</h1>')
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
})

it('a file comes with its type, and only once as long as it stays the same', async () => {
  const response = await get('/assets/app.js')
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('cache-control')).toContain('immutable')
  expect((await get('/agents')).headers.get('cache-control')).toBe('no-cache')
  const etag = response.headers.get('etag') ?? ''
  expect((await get('/assets/app.js', `"x", ${etag}`)).status).toBe(304)
  writeFileSync(join(build, 'assets', 'app.js'), 'export const changed = 1')
  expect((await get('/assets/app.js', etag)).status).toBe(200)
})

it('texts are compressed for browsers that accept it, in their newest version', async () => {
  const files = createStaticFiles(build, 'npm start')
  const read = async (acceptEncoding: string | undefined) => {
    const response = await files.serve('/assets/app.js', { acceptEncoding })
    expect(response.headers.get('vary')).toBe('accept-encoding')
    const body = Buffer.from(await response.arrayBuffer())
    const coding = response.headers.get('content-encoding')
    return [coding, (coding === 'gzip' ? gunzipSync(body) : body).toString()]
  }
  expect(await read('br;q=1, gzip;q=0.8, *')).toEqual(['gzip', 'export {}'])
  for (const refusing of [undefined, 'br', 'identity', 'gzip;q=0', 'GZIP ; q=0.000'])
    expect(await read(refusing)).toEqual([null, 'export {}'])
  writeFileSync(join(build, 'assets', 'app.js'), 'export const changed = 1')
  expect(await read('gzip')).toEqual(['gzip', 'export const changed = 1'])
  writeFileSync(join(build, 'picture.png'), 'bytes')
  const picture = await files.serve('/picture.png', { acceptEncoding: 'gzip' })
  expect(picture.headers.get('content-encoding')).toBeNull()
  expect(picture.headers.get('vary')).toBeNull()
})

it.each(['/missing.js', '/assets/missing.css', '/.secret.txt', '/assets/.hidden/x.js'])(
  '%s is not there',
  async (path) => {
    expect((await get(path)).status).toBe(404)
  },
)

it('nothing outside the build is served, by any link or name', async () => {
  symlinkSync(join(root, 'outside.txt'), join(build, 'link.txt'))
  symlinkSync(root, join(build, 'up'))
  symlinkSync(join(root, 'build-other'), join(build, 'sibling'))
  for (const path of [
    '/link.txt',
    '/up/outside.txt',
    '/sibling/x.txt',
    '/../outside.txt',
    '/%2e%2e/outside.txt',
  ]) {
    const response = await get(path)
    expect([path, response.status]).toEqual([path, 404])
    expect(await response.text()).not.toContain('outside')
  }
})

it('a folder with an extension is not a file', async () => {
  mkdirSync(join(build, 'folder.js'))
  expect((await get('/folder.js')).status).toBe(404)
})

it('a build that is not there is named with the command that makes it', async () => {
  rmSync(build, { recursive: true })
  const response = await get('/agents')
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('npm start')
  expect((await get('/app.js')).status).toBe(503)
})
