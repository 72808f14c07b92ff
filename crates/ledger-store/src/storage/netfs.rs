//! Which file systems a ledger may be written on.
//!
//! Owns the table of refused kinds. A network or host-shared file system is refused because its
//! locks may not be seen by every client and its flush may not reach a medium, which breaks "one
//! writer" and "acknowledged is durable".
//!
//! Sources of the numbers: `include/uapi/linux/magic.h` of Linux where it has them, otherwise the
//! kinds that GNU coreutils `src/stat.c` marks "remote". Overlayfs, which coreutils marks remote
//! for the sake of inotify, keeps its files on a local file system and is allowed.
//!
//! May not: touch the file system.

/// `f_type` of FUSE, behind which anything can be; the mount type then decides.
pub(super) const FUSE: u32 = 0x6573_5546;

/// `f_type` and name of what is always refused.
const REFUSED: &[(u32, &str)] = &[
    (0x0000_6969, "NFS"),
    (0x6E66_7364, "NFSD"),
    (0x0000_517B, "SMB"),
    (0xFF53_4D42, "CIFS"),
    (0xFE53_4D42, "SMB2"),
    (0x0000_564C, "NCP"),
    (0x5346_414F, "AFS"),
    (0x6B41_4653, "kAFS"),
    (0x7375_7245, "Coda"),
    (0x00C3_6400, "Ceph"),
    (0x0102_1997, "9P"),
    (0x0BD0_0BD0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x0116_1970, "GFS2"),
    (0x7461_636F, "OCFS2"),
    (0x1983_0326, "BeeGFS"),
    (0x6163_6673, "ACFS"),
    (0x0131_11A8, "Ibrix"),
    (0xAAD7_AAEA, "PanFS"),
    (0xBEEF_DEAD, "StorNext"),
    (0xA501_FCF5, "VxFS cluster"),
    (0x7C7C_6673, "Parallels shared folder"),
    (0x786F_4256, "VirtualBox shared folder"),
    (0xBACB_ACBC, "VMware shared folder"),
];

/// FUSE mount types that keep their files on this machine.
const LOCAL_FUSE: &[&str] = &[
    "fuseblk",
    "fuse.ntfs-3g",
    "fuse.exfat",
    "fuse.fuse-overlayfs",
    "fuse.gocryptfs",
    "fuse.encfs",
    "fuse.cryfs",
    "fuse.bindfs",
    "fuse.mergerfs",
];

/// The name of the file system if a ledger may not be written on it.
pub(super) fn refused(f_type: u32, mount_type: Option<&str>) -> Option<String> {
    if f_type == FUSE {
        return match mount_type {
            Some(kind) if LOCAL_FUSE.contains(&kind) => None,
            Some(kind) => Some(format!("FUSE ({kind})")),
            None => Some("FUSE (of unknown kind)".to_owned()),
        };
    }
    let (_, name) = REFUSED.iter().find(|(magic, _)| *magic == f_type)?;
    Some((*name).to_owned())
}

/// The mount type of device `major:minor` in the text of `/proc/self/mountinfo` (`proc(5)`: device
/// in the third field, type in the first field after the lone hyphen).
pub(super) fn mount_type(mountinfo: &str, major: u32, minor: u32) -> Option<&str> {
    let device = format!("{major}:{minor}");
    let line = mountinfo.lines().find(|line| line.split(' ').nth(2) == Some(device.as_str()))?;
    let (_, after) = line.split_once(" - ")?;
    after.split(' ').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_kinds_are_refused_by_name() {
        assert_eq!(refused(0x6969, None).as_deref(), Some("NFS"));
        assert_eq!(refused(0xFF53_4D42, None).as_deref(), Some("CIFS"));
        // ext, xfs, btrfs, zfs, tmpfs, overlayfs
        for local in [0xEF53, 0x5846_5342, 0x9123_683E, 0x2FC1_2FC1, 0x0102_1994, 0x794C_7630] {
            assert_eq!(refused(local, None), None);
        }
    }

    #[test]
    fn fuse_is_decided_by_its_mount_type() {
        assert_eq!(refused(FUSE, Some("fuseblk")), None);
        assert_eq!(refused(FUSE, Some("fuse.sshfs")).as_deref(), Some("FUSE (fuse.sshfs)"));
        assert_eq!(refused(FUSE, Some("virtiofs")).as_deref(), Some("FUSE (virtiofs)"));
        assert!(refused(FUSE, None).is_some());
    }

    #[test]
    fn mountinfo_is_read_by_device() {
        let text = "22 1 253:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n\
                    36 22 0:49 / /mnt/x rw shared:7 master:2 - fuse.sshfs host:/ rw,user_id=0\n";
        assert_eq!(mount_type(text, 0, 49), Some("fuse.sshfs"));
        assert_eq!(mount_type(text, 253, 0), Some("ext4"));
        assert_eq!(mount_type(text, 9, 9), None);
    }
}
