import { type Finding, fine } from '@steward/assistants'

const OLDEST = 24

/** The launcher already checks this, unless the program was started another way. */
export const checkNode = (version: string): Finding => {
  const fits = Number.parseInt(version.replace(/^v/, ''), 10) >= OLDEST
  if (fits) return fine('node', `Node ${version}`)
  return {
    check: 'node',
    status: 'fail',
    message: `Node ${version} is older than ${OLDEST}, which Steward needs`,
    repair: 'install Node 24 from https://nodejs.org; on Linux npm ci brings it',
  }
}
