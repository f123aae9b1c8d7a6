/** `npm test`: all tests with real parts, and the checks. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBrowser } from './ensure-browser.ts'
import { ensureSandbox } from './ensure-sandbox.ts'
import { ensureSpeech } from './ensure-speech.ts'
import { countTests, NO_REPORT, sayCounts } from './testing/count-tests.ts'
import { runAside } from './testing/run-aside.ts'

const WANTED_NODE = 'v24.'
const root = join(import.meta.dirname, '..')

if (!process.version.startsWith(WANTED_NODE)) {
  console.error(`this is Node ${process.version}; the tests run on the Node 24 that npm ci brings`)
  process.exit(1)
}

await ensureSandbox()
ensureSpeech()
ensureBrowser()

// The tests often wait for processes and clocks, so the checks run in parallel.
const checking = runAside('node', ['scripts/check.ts'])
const folder = mkdtempSync(join(tmpdir(), 'steward-test-'))
const report = join(folder, 'report.json')
const tested = await new Promise<boolean>((resolve) => {
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  spawn('vitest', [...args, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  })
    .on('error', ({ message }) => {
      console.error(message)
      resolve(false)
    })
    .on('close', (code) => resolve(code === 0))
})
const checked = await checking
const counts = existsSync(report)
  ? countTests(JSON.parse(readFileSync(report, 'utf8')), root, tested)
  : NO_REPORT
rmSync(folder, { recursive: true })

console.log(checked.said)
console.log(sayCounts(counts))
if (!checked.isGood || counts.failed > 0) process.exit(1)
