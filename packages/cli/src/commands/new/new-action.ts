import { join } from 'node:path'
import type { Home } from '@steward/platform'
import { quoteWord } from '../../output/quote-word.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { actionFiles } from './action-files.ts'
import type { NewFiles } from './new-files.ts'
import { writeNewFolder } from './write-new-files.ts'

export const newAction = async (home: Home, name: string): Promise<NewFiles> => {
  const folder = join(home.user.actions, name)
  const files = actionFiles(name)
  await writeNewFolder(folder, files)
  return {
    paths: Object.keys(files).map((file) => join(folder, file)),
    next: [
      `${COMMAND} run ${name} --local --content "a b c"`,
      // The system's Node may be too old for TypeScript; this one is not.
      [process.execPath, '--test', join(folder, 'action.test.ts')].map(quoteWord).join(' '),
      `edit ${join(folder, 'action.ts')}`,
    ],
  }
}
