// Says what to install if Node cannot run TypeScript, instead of a stack trace: on macOS no Node is
// bundled.
const oldest = '22.18'

const [major, minor] = process.versions.node.split('.').map(Number)
const [oldestMajor, oldestMinor] = oldest.split('.').map(Number)
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  process.stderr.write(
    [
      `This is Node ${process.versions.node}; Steward needs Node ${oldest} or later.`,
      '  Linux (x64, arm64):  npm ci brings Node 24',
      '  elsewhere:           install Node 24 from https://nodejs.org, then try again',
      '',
    ].join('\n'),
  )
  process.exit(1)
}
