import { type Finding, fine } from './finding.ts'

const OLDEST = [22, 19] as const

/** The launcher saw to it already, unless the program was started in another way. */
export const checkNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const fits = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  if (fits) return fine('node', `Node ${version}`)
  return {
    check: 'node',
    status: 'fail',
    message: `Node ${version} is older than ${OLDEST.join('.')}, which Steward needs`,
    repair: 'install Node 24 from https://nodejs.org; on Linux npm ci brings it',
  }
}
