import { join } from 'node:path'
import type { Home } from '@steward/platform'
import { COMMAND } from '../setup/command-name.ts'
import { actionFiles } from './action-files.ts'
import type { Made } from './made.ts'
import { writeNewFolder } from './write-new-files.ts'

export const newAction = async (home: Home, name: string): Promise<Made> => {
  const folder = join(home.user.actions, name)
  const files = actionFiles(name)
  await writeNewFolder(folder, files)
  return {
    paths: Object.keys(files).map((file) => join(folder, file)),
    next: [
      `${COMMAND} run ${name} --local --content "a b c"`,
      `node --test ${join(folder, 'action.test.ts')}`,
      `edit ${join(folder, 'action.ts')}`,
    ],
  }
}
