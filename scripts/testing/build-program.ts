import { join } from 'node:path'
import { findBuild } from '../../packages/cli/bin/clone-build.mjs'

/** Completion may load any command, so that a build which is current for it is for all. */
const EVERY_COMMAND = '__complete'

/** Before tests that start commands of this clone: it is compiled once for all of them. */
export default (): void => {
  findBuild(join(import.meta.dirname, '../..'), EVERY_COMMAND)
}
