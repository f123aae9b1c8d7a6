import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { gather } from './gather.ts'
import { showAnswer } from './show-answer.ts'
import { type TargetFlags, withTarget } from './target.ts'

const HELP = `
Examples:
  steward hosted skills upload ./invoices            a folder with a SKILL.md
  steward hosted skills upload ./invoices --to skill_01…   a new version of it
  steward hosted skills versions skill_01…

Name a skill in an agent: skills: [{ type: custom, skill_id: skill_01… }].
`

export const createHostedSkillsCommand = (io: Io): Command =>
  new Command('skills')
    .description('Upload and manage the skills of agents')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createUploadCommand(io))
    .addCommand(createVersionsCommand(io))
    .addCommand(createDeleteCommand(io))
    .addHelpText('after', HELP)

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List skills')
    .action((flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        (client) => gather(client.beta.skills.list({ source: 'custom' })),
        (skills) =>
          skills.length === 0
            ? `none yet: ${COMMAND} hosted skills upload FOLDER\n`
            : formatTable(
                skills.map((skill) => [
                  skill.id,
                  formatTime(skill.updated_at),
                  cleanText(skill.display_name),
                ]),
              ),
      ),
    )

const createUploadCommand = (io: Io): Command =>
  withTarget(new Command('upload'))
    .description('Upload a folder with a SKILL.md as a skill or new version')
    .argument('<folder>', 'the folder')
    .option('--to <skill>', 'the id of the skill that gets a new version')
    .action((folder: string, flags: TargetFlags & { to?: string }) =>
      showAnswer(
        io,
        flags,
        async (client) => {
          const files = await readFolder(resolve(io.cwd, folder))
          return flags.to === undefined
            ? client.beta.skills.create({ files })
            : client.beta.skills.versions.create(flags.to, { files })
        },
        ({ id }) => `${id} is uploaded\n`,
      ),
    )

const createVersionsCommand = (io: Io): Command =>
  withTarget(new Command('versions'))
    .description('List the versions of a skill')
    .argument('<skill>', 'its id')
    .action((skill: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        (client) => gather(client.beta.skills.versions.list(skill)),
        (versions) =>
          formatTable(
            versions.map((each) => [
              each.id,
              formatTime(each.created_at),
              cleanText(each.description),
            ]),
          ),
      ),
    )

const createDeleteCommand = (io: Io): Command =>
  withTarget(new Command('delete'))
    .description('Delete a skill')
    .argument('<skill>', 'its id')
    .action((skill: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        (client) => client.beta.skills.delete(skill),
        ({ id }) => `${id} is deleted\n`,
      ),
    )

/** The files of a folder below its name, as the API expects them. */
const readFolder = async (folder: string): Promise<File[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (cause: unknown) => {
      throw new StewardError('invalid_input', { subject: folder, reason: reasonOf(cause) }, cause)
    },
  )
  const files: File[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const name = [basename(folder), ...relative(folder, path).split(sep)].join('/')
    files.push(new File([await readFile(path)], name))
  }
  return files
}
