import { spawnSync } from 'node:child_process'

/** Plays the sessions of `npm run chaos:hosted`; it prints what it found. */
export const killHosted = (): string[] => {
  const { status } = spawnSync('npm', ['run', 'chaos:hosted'], { stdio: 'inherit' })
  return status === 0 ? [] : [`npm run chaos:hosted ended with ${status}`]
}
