// Says what to install where Node cannot run TypeScript, instead of a stack trace: macOS, where no Node is bundled.
const OLDEST = { major: 22, minor: 19 }

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
  process.stderr.write(
    [
      `This is Node ${process.versions.node}; Steward needs ${OLDEST.major}.${OLDEST.minor} or later.`,
      '  Linux (x64, arm64):  npm ci brings Node 24',
      '  elsewhere:           install Node 24 from https://nodejs.org, then try again',
      '',
    ].join('\n'),
  )
  process.exit(1)
}
