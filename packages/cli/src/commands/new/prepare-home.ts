import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import { ensureHome, type Home } from '@steward/platform'
import type { Installation } from '../../setup/installation.ts'
import { writeNewFile } from './write-new-files.ts'

const SCHEMAS = ['action', 'pipeline', 'flow-index', 'settings']
const TYPES = 'action.v2.d.ts'

/** Puts what editors and Node need beside a person's own code: schemas, types, and that it is modules. */
export const prepareHome = async (home: Home, from: Installation): Promise<void> => {
  const ready = await ensureHome(home)
  if (!ready.ok) throw ready.error
  await mkdir(home.schemas, { recursive: true })
  await mkdir(home.types, { recursive: true })
  for (const schema of SCHEMAS) {
    const file = `${schema}.schema.json`
    await copyFile(join(from.schemas, file), join(home.schemas, file))
  }
  await copyFile(join(from.types, TYPES), join(home.types, TYPES))
  await writeIfMissing(join(home.user.root, 'package.json'), { private: true, type: 'module' })
  await writeIfMissing(join(home.user.root, 'tsconfig.json'), {
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023', 'DOM'],
      module: 'NodeNext',
      strict: true,
      noEmit: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
    },
    include: ['ACTIONS'],
  })
}

const writeIfMissing = async (path: string, content: unknown): Promise<void> => {
  try {
    await writeNewFile(path, `${JSON.stringify(content, null, 2)}\n`)
  } catch (thrown) {
    // Already there: theirs to keep.
    if (!(thrown instanceof StewardError)) throw thrown
  }
}
