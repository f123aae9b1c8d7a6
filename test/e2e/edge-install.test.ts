import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'
import { runInTerminal } from './terminal.ts'

/** The packages of the stand-in registry, which take the place of esbuild, workerd and wrangler. */
const NAMES = ['kettle', 'teapot']

let cli: Cli
let registry: Server
let requests: string[]
let env: Record<string, string>
let launcher: string

beforeAll(async () => {
  cli = createCli()
  const tarballs = new Map(NAMES.map((name) => [`/${name}/-/${name}-1.0.0.tgz`, packOne(name)]))
  requests = []
  registry = createServer(({ url = '' }, response) => {
    requests.push(url)
    const tarball = tarballs.get(url)
    response.writeHead(tarball === undefined ? 404 : 200).end(tarball)
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  const address = registry.address()
  const port = typeof address === 'object' ? address?.port : undefined
  env = {
    XDG_CACHE_HOME: join(cli.files, 'cache'),
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: join(cli.files, 'npm'),
  }
  launcher = copyProgram(tarballs)
})
afterAll(() => {
  registry?.close()
  cli?.remove()
})

const packOne = (name: string): Buffer => {
  const folder = join(cli.files, name)
  mkdirSync(join(folder, 'package'), { recursive: true })
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify({ name, version: '1.0.0' }))
  return execFileSync('tar', ['-cz', 'package'], { cwd: folder })
}

/** The packed program, whose lockfile names the packages of the stand-in registry. */
const copyProgram = (tarballs: ReadonlyMap<string, Buffer>): string => {
  const root = join(cli.files, 'program')
  cpSync(dirname(dirname(PACKED_LAUNCHER)), root, { recursive: true })
  const project = {
    name: 'steward-edge',
    version: '1.0.0',
    dependencies: Object.fromEntries(NAMES.map((name) => [name, '1.0.0'])),
  }
  const fetched = [...tarballs].map(([path, bytes], index) => [
    `node_modules/${NAMES[index]}`,
    {
      version: '1.0.0',
      resolved: `https://registry.npmjs.org${path}`,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    },
  ])
  const packages = { '': project, ...Object.fromEntries(fetched) }
  const lockfile = { ...project, lockfileVersion: 3, requires: true, packages }
  writeFileSync(join(root, 'edge/package.json'), JSON.stringify(project))
  writeFileSync(join(root, 'edge/package-lock.json'), JSON.stringify(lockfile))
  return join(root, 'bin/steward.mjs')
}

const install = (answer: string) =>
  runInTerminal(cli, ['edge', 'install'], { env, answer, launcher })

const QUESTION =
  /Fetch esbuild, workerd and wrangler from the npm registry, about 190 MB, into \S+\? \[y\/N\]/

test('at a terminal, "edge install" fetches nothing unless the answer is yes', async () => {
  for (const answer of ['n', '']) {
    const { code, text } = await install(answer)
    expect([code, text]).toEqual([1, expect.stringMatching(QUESTION)])
    expect(text).toContain('nothing was fetched')
  }
  expect(requests).toEqual([])
  expect(existsSync(join(cli.files, 'cache/steward/edge'))).toBe(false)

  const { code, text } = await install('y')
  expect([code, text]).toEqual([0, expect.stringMatching(QUESTION)])
  expect(text).toContain('Fetching packages')
  const [, folder = ''] = /installed in (\S+)/.exec(text) ?? []
  expect(requests.filter((url) => url.endsWith('.tgz')).toSorted()).toEqual([
    '/kettle/-/kettle-1.0.0.tgz',
    '/teapot/-/teapot-1.0.0.tgz',
  ])
  const manifest = readFileSync(join(folder, 'node_modules/teapot/package.json'), 'utf8')
  expect(JSON.parse(manifest)).toMatchObject({ name: 'teapot' })

  expect((await cli.run(['edge', 'uninstall'], { env })).code).toBe(0)
})
