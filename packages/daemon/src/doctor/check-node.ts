import { type Finding, fine } from '@steward/assistants'

const OLDEST = [22, 18] as const

/** The launcher saw to it already, unless the program was started in another way. */
export const checkNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const fits = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  if (fits) return fine('node', `Node ${version}`)
  return {
    check: 'node',
    status: 'fail',
    message: `Node ${version} is older than ${OLDEST.join('.')}, which Steward needs`,
    repair: 'install Node 24 from https://nodejs.org, or run npm ci in a clone',
  }
}
