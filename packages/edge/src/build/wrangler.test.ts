import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { shortName } from '@steward/contract'
import { expect, test } from 'vitest'
import { buildSome, LIBRARY } from './testing/build-library.ts'
import { SAMPLE } from './testing/sample-catalog.ts'
import { readTree, temporaryFolder, writeFiles } from './testing/write-files.ts'

const WRANGLER = join(
  dirname(createRequire(import.meta.url).resolve('wrangler/package.json')),
  'bin',
  'wrangler.js',
)

/** What the real tool would upload; nothing is sent. */
const deployDry = async (directory: string, ...more: string[]) => {
  const folder = temporaryFolder()
  const out = join(folder, 'uploaded')
  const config = join(directory, 'wrangler.jsonc')
  const child = spawn(
    process.execPath,
    [WRANGLER, 'deploy', '--dry-run', '--outdir', out, '--config', config, ...more],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        CI: '1',
        WRANGLER_SEND_METRICS: 'false',
        WRANGLER_LOG_PATH: join(folder, 'logs'),
        XDG_CONFIG_HOME: join(folder, 'config'),
        CLOUDFLARE_API_BASE_URL: 'http://127.0.0.1:9/client/v4',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  const uploaded =
    code === 0 ? Object.keys(readTree(out)).filter((name) => name !== 'README.md') : []
  return { code, said: `${stdout}${stderr}`, uploaded }
}

const sampleFolder = (): string => {
  const root = temporaryFolder()
  writeFiles(root, SAMPLE)
  return root
}

test.each<[string, () => string, string[]]>([
  ['A_SUMMARIZE', () => LIBRARY, []],
  ['P_ARTICLE_DIGEST', () => LIBRARY, ['env.A_EXTRACT_ARTICLE (exec-a-extract-article)']],
  [
    'F_SAMPLE_DIGEST',
    () => LIBRARY,
    ['env.P_ARTICLE_DIGEST (exec-p-article-digest)', 'env.SEEN_ITEMS', 'env.FLOW_FILES'],
  ],
  ['F_FEEDS_POLLER', sampleFolder, ['env.FEED_ITEMS (feed-items)', 'env.FLOW_STATE']],
  ['F_FEEDS_PROCESSOR', sampleFolder, ['env.FEEDS_DB (steward-feeds)', 'env.P_SHOUT_LOUD']],
])('wrangler takes the configuration of %s as it is', async (name, root, bindings) => {
  const out = await buildSome(root(), [name])
  const { code, said, uploaded } = await deployDry(join(out, shortName(name)))
  expect(said).not.toMatch(/warning|error/i)
  for (const binding of bindings) expect(said).toContain(binding)
  expect({ code, uploaded }).toEqual({ code: 0, uploaded: ['index.js'] })
})

test('wrangler accepts the configuration of a container; only building its image needs Docker', async () => {
  const out = await buildSome(sampleFolder(), ['A_COUNT_FILES'])
  const directory = join(out, 'a-count-files')
  const { code, said, uploaded } = await deployDry(directory, '--containers-rollout=none')
  expect(said).toContain('env.CONTAINER (ActionContainer)')
  expect({ code, uploaded }).toEqual({ code: 0, uploaded: ['index.js'] })
})
