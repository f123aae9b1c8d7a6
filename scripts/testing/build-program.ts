import { join } from 'node:path'
import { findBuild } from '../../packages/cli/bin/clone-build.mjs'

/** Completion may load any command, so a build that is current for it is current for all. */
export const EVERY_COMMAND = '__complete'

/** Compiles this clone once, before tests that start its commands. */
export default (): void => {
  findBuild(join(import.meta.dirname, '../..'), EVERY_COMMAND)
}
