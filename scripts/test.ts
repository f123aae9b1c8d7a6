/** `npm test`: everything that must hold, checks first, then every test with its real parts. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBrowser } from './ensure-browser.ts'
import { ensureSandbox } from './ensure-sandbox.ts'
import { ensureSpeech } from './ensure-speech.ts'
import { countTests, NO_REPORT } from './testing/count-tests.ts'

const WANTED_NODE = 'v24.'

if (!process.version.startsWith(WANTED_NODE)) {
  console.error(`this is Node ${process.version}; the tests run on the Node 24 that npm ci brings`)
  process.exit(1)
}

await ensureSandbox()
ensureSpeech()
ensureBrowser()

const root = join(import.meta.dirname, '..')
const run = (command: string, args: string[]): boolean =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0

const checked = run('node', ['scripts/check.ts'])
const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
const report = join(folder, 'report.json')
const tested = run('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
])
const counts = existsSync(report) ? countTests(JSON.parse(readFileSync(report, 'utf8'))) : NO_REPORT
rmSync(folder, { recursive: true })

if (!checked) console.error('\nthe checks failed; see above')
console.log(`\n${counts.passed} passed, ${counts.failed} failed`)
if (!checked || !tested || counts.failed > 0) process.exit(1)
