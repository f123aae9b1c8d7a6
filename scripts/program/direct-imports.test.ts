import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDirectImports } from './direct-imports.ts'

const root = join(import.meta.dirname, '../..')
const importer = join(root, 'packages/cli/src/main.ts')
const errors = join(root, 'packages/contract/src/errors.ts')

describe('direct imports', () => {
  it('name the file that declares, whatever it is called here, and leave types out', () => {
    const { rewrite, indexes } = createDirectImports()
    const text =
      "import {\n  type Result,\n  StewardError as Problem,\n} from '@steward/contract'\nrun()"
    expect(rewrite(text, importer)).toBe(
      `import { StewardError as Problem } from '${errors}'\nrun()`,
    )
    expect(indexes()).toEqual(['packages/contract/src/index.ts'])
  })

  it('cover re-exports, which would load the whole package too', () => {
    const { rewrite } = createDirectImports()
    const text = "export { StewardError, type Result } from '@steward/contract'"
    expect(rewrite(text, importer)).toBe(`export { StewardError as StewardError } from '${errors}'`)
  })

  it('leave the imports of generated text alone, which is bundled elsewhere', () => {
    const { rewrite } = createDirectImports()
    const text =
      "/** Writes `index.ts`. */\nexport const entry = `// Generated\nimport { StewardError } from '@steward/contract'\n`"
    expect(rewrite(text, importer)).toBe(text)
  })

  it('are unchanged if nothing is re-exported or the name is not found', () => {
    const { rewrite } = createDirectImports()
    for (const text of [
      "import { join } from 'node:path'",
      "import { createIo } from './io.ts'",
      "import { nowhere as nowhere } from '@steward/contract'",
    ]) {
      expect(rewrite(text, importer)).toBe(text)
    }
  })
})
