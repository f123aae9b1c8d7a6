/**
 * The second part of `npm run generate`: the page of commands. It loads the whole command line, so the quick
 * check of the other files does without it; `scripts/docs.test.ts` checks this page.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderCommandsPage } from './generate/commands-page.ts'

const file = join(import.meta.dirname, '../docs/reference/commands.md')
writeFileSync(file, await renderCommandsPage())
