/**
 * `npm run pack`: one installable package, `dist/steward-<version>.tgz`, with everything bundled.
 * Fails on known vulnerabilities of high severity. Where the registry offers no audit it warns;
 * with `--release` that is a failure too. With `--staged FOLDER` it packs the files that are already
 * laid out there.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { audit } from './pack/audit.ts'
import { stagePackage } from './pack/stage-package.ts'

const dist = join(import.meta.dirname, '..', 'dist')
const { values } = parseArgs({
  options: { release: { type: 'boolean', default: false }, staged: { type: 'string' } },
})
const stage = values.staged ?? join(dist, 'package')

const audited = audit(join(import.meta.dirname, '..'))
if (audited.kind === 'vulnerable') {
  console.error(`known vulnerabilities of high severity: ${audited.report}; run npm audit`)
  process.exit(1)
}
if (audited.kind === 'not checked') {
  console.error(`not checked for known vulnerabilities: ${audited.reason}`)
  if (values.release) process.exit(1)
}

if (values.staged === undefined) await stagePackage(stage)
mkdirSync(dist, { recursive: true })
const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', dist], {
  cwd: stage,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
})
if (packed.status !== 0) {
  console.error('npm pack failed')
  process.exit(1)
}
// The name of the file.
console.log(join(dist, packed.stdout.trim()))
