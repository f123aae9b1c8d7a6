import { spawnSync } from 'node:child_process'
import type { BubblewrapFeatures } from './profile.ts'

/** As its own help says. */
export const readFeatures = (bwrap: string): BubblewrapFeatures => {
  const help = spawnSync(bwrap, ['--help'], { encoding: 'utf8', timeout: 10_000 }).stdout ?? ''
  return { size: help.includes('--size '), disableUserns: help.includes('--disable-userns') }
}
