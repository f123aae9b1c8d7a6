import { existsSync } from 'node:fs'
import { EGRESS_MOUNT, EGRESS_PORT } from './egress.ts'
import { forwarderArgs, NODE_MOUNT, SOCKET_FILE } from './forwarder.ts'

export const SMALL_FORWARDER_FILE = 'forwarder.pl'

/** Where systems that have Perl have it; a sandbox shows the system's programs. */
const PERL = '/usr/bin/perl'

/**
 * The forwarder that stays beside a shell. Every sandbox has one, so it is written for little memory:
 * without modules, Perl takes a tenth of what Node does. Constants are those of Linux. A side is only
 * read while the other one has taken everything, so that nothing piles up.
 */
export const SMALL_FORWARDER_SOURCE = `my ($path, $port) = @ARGV;
my ($IPV4, $UNIX, $STREAM, $SOCKET, $REUSE, $SET_FLAGS, $NONBLOCK) = (2, 1, 1, 1, 2, 4, 2048);
my %AGAIN = (4 => 1, 11 => 1);
my (%handle, %peer, %waiting, %ended);

sub fail { print STDERR "egress forwarder: $_[0]: $!\\n"; exit 125 }

sub drop {
  for my $side ($_[0], $peer{$_[0]}) {
    close $handle{$side};
    delete $_->{$side} for \\%handle, \\%waiting, \\%ended;
  }
  delete @peer{$_[0], $peer{$_[0]}};
}

sub pass_end {
  my $to = $peer{$_[0]};
  return if length $waiting{$to};
  shutdown $handle{$to}, 1;
  drop($to) if $ended{$to} && !length $waiting{$_[0]};
}

sub flush {
  my ($to) = @_;
  my $written = syswrite $handle{$to}, $waiting{$to};
  if (!defined $written) { drop($to) unless $AGAIN{$! + 0}; return }
  substr($waiting{$to}, 0, $written) = '';
  pass_end($peer{$to}) if $ended{$peer{$to}};
}

sub take {
  my ($from) = @_;
  my $read = sysread $handle{$from}, my $bytes, 65536;
  if (!defined $read) { drop($from) unless $AGAIN{$! + 0}; return }
  if ($read == 0) { $ended{$from} = 1; pass_end($from); return }
  $waiting{$peer{$from}} = $bytes;
  flush($peer{$from});
}

sub begin {
  return unless accept my $inner, $_[0];
  my $outer;
  return close $inner
    unless socket($outer, $UNIX, $STREAM, 0) && connect($outer, pack('S Z108', $UNIX, $path));
  my ($in, $out) = (fileno $inner, fileno $outer);
  fcntl $_, $SET_FLAGS, $NONBLOCK for $inner, $outer;
  @handle{$in, $out} = ($inner, $outer);
  @peer{$in, $out} = ($out, $in);
  @waiting{$in, $out} = ('', '');
}

$SIG{PIPE} = 'IGNORE';
socket(my $server, $IPV4, $STREAM, 0) or fail('socket');
setsockopt $server, $SOCKET, $REUSE, pack('i', 1);
bind($server, pack('S n C4 x8', $IPV4, $port, 127, 0, 0, 1)) or fail('bind');
listen($server, 128) or fail('listen');
fcntl $server, $SET_FLAGS, $NONBLOCK;
while (1) {
  my ($reads, $writes) = ('', '');
  vec($reads, fileno $server, 1) = 1;
  for my $side (keys %handle) {
    vec($reads, $side, 1) = 1 if !$ended{$side} && !length $waiting{$peer{$side}};
    vec($writes, $side, 1) = 1 if length $waiting{$side};
  }
  next if select($reads, $writes, undef, undef) < 0;
  begin($server) if vec($reads, fileno $server, 1);
  for my $side (keys %handle) {
    flush($side) if exists $handle{$side} && vec($writes, $side, 1) && length $waiting{$side};
    take($side) if exists $handle{$side} && vec($reads, $side, 1) && !length $waiting{$peer{$side}};
  }
}
`

/** The command that forwards beside a shell. Images of containers need not have Perl. */
export const forwarderBeside = (driver: string): readonly string[] =>
  driver === 'bubblewrap' && existsSync(PERL)
    ? [
        PERL,
        `${EGRESS_MOUNT}/${SMALL_FORWARDER_FILE}`,
        `${EGRESS_MOUNT}/${SOCKET_FILE}`,
        String(EGRESS_PORT),
      ]
    : [NODE_MOUNT, ...forwarderArgs()]
