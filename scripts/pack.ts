/**
 * `npm run pack`: one installable package, `dist/steward-<version>.tgz`, with everything bundled.
 * Fails on known vulnerabilities of high severity. Where the registry offers no audit it warns;
 * with `--release` that is a failure too.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { audit } from './pack/audit.ts'
import { stagePackage } from './pack/stage-package.ts'

const dist = join(import.meta.dirname, '..', 'dist')
const stage = join(dist, 'package')

const audited = audit(join(import.meta.dirname, '..'))
if (audited.kind === 'vulnerable') {
  console.error(`known vulnerabilities of high severity: ${audited.report}; run npm audit`)
  process.exit(1)
}
if (audited.kind === 'not checked') {
  console.error(`not checked for known vulnerabilities: ${audited.reason}`)
  if (process.argv.includes('--release')) process.exit(1)
}

const version = await stagePackage(stage)
const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', dist], {
  cwd: stage,
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (packed.status !== 0) {
  console.error('npm pack failed')
  process.exit(1)
}
console.log(join(dist, `steward-${version}.tgz`))
