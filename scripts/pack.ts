/** `npm run pack`: one installable package, `dist/steward-<version>.tgz`, with everything bundled. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { stagePackage } from './pack/stage-package.ts'

const dist = join(import.meta.dirname, '..', 'dist')
const stage = join(dist, 'package')

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
